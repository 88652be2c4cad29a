/* SPDX-License-Identifier: Apache-2.0
 *
 * read_impl.h: shared by the two files that read HDF5 bytes.
 */
#ifndef HK_RESULTS_HDF5_READ_IMPL_H
#define HK_RESULTS_HDF5_READ_IMPL_H

#include "results/hdf5/read.h"

/* a number of `bytes` bytes, lowest first */
uint64_t hki_h5_little(const unsigned char *p, int32_t bytes);
/* n bytes of the file; damaged when the file does not have them */
hk_h5_verdict hki_h5_get(const hk_h5_source *s, uint64_t address, void *to, size_t n);
/* room for n bytes at *p, whose content may be lost; false: out of memory */
bool hki_h5_room(hk_ctx *ctx, unsigned char **p, size_t *cap, size_t n);

#endif
