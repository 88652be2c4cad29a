/* SPDX-License-Identifier: Apache-2.0
 *
 * library.h: HDF5 as a table of functions, filled when the first result is read. Loading HDF5 loads
 * more than thirty other libraries, which commands that read no results do not need.
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
  /* types and property lists, which are variables of HDF5 */
  hid_t native_double, native_float, native_int, native_int32, text, file_access;
} hk_hdf5;

/* the table of the loaded library; NULL with the reason in why[cap]. Call it between
 * hki_results_lock and hki_results_unlock. */
const hk_hdf5 *hki_hdf5(char *why, size_t cap);

#endif
