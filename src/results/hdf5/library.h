/* SPDX-License-Identifier: Apache-2.0
 *
 * library.h: HDF5 as a table of functions, which is filled when a result is read for the first time.
 * HDF5 brings more than thirty other libraries; a command that reads no results does without them.
 */
#ifndef HK_RESULTS_HDF5_LIBRARY_H
#define HK_RESULTS_HDF5_LIBRARY_H

#define H5_USE_110_API
#include <hdf5.h>

#include "base/base.h"

typedef struct hk_hdf5 {
#define X(result, name, arguments) result(*name) arguments; /* H5name */
#include "results/hdf5/library.def"
#undef X
  /* types and classes, which HDF5 has as variables */
  hid_t native_double, native_float, native_int, native_int32, text, file_access;
} hk_hdf5;

/* the library, loaded; NULL and words for why not. Call it with the lock of results held. */
const hk_hdf5 *hki_hdf5(char *why, size_t cap);

#endif
