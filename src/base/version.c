/* SPDX-License-Identifier: Apache-2.0
 *
 * version.c: the version, the optional libraries that were built in, and whether wide vector
 * instructions are used.
 */
#include "hooke/version.h"
#include "base/base.h"
#include "base/wide.h"

#ifdef HK_WITH_KLU
#define WITH_KLU 1
#else
#define WITH_KLU 0
#endif
#ifdef HK_WITH_SUNDIALS
#define WITH_SUNDIALS 1
#else
#define WITH_SUNDIALS 0
#endif
#ifdef HK_WITH_YAML
#define WITH_YAML 1
#else
#define WITH_YAML 0
#endif
#ifdef HK_WITH_NETCDF
#define WITH_NETCDF 1
#else
#define WITH_NETCDF 0
#endif
#ifdef HK_WITH_HDF5
#define WITH_HDF5 1
#else
#define WITH_HDF5 0
#endif

static const struct {
  const char *name;
  int32_t on;
} features[] = {{"klu", WITH_KLU},
                {"sundials", WITH_SUNDIALS},
                {"yaml", WITH_YAML},
                {"netcdf", WITH_NETCDF},
                {"hdf5", WITH_HDF5}};
enum { AVX2 = HK_ARRAY_LEN(features) }; /* the last one: known when the program runs */

const char *hk_version(void) { return HK_VERSION_STRING; }

int32_t hk_feature_count(void) { return AVX2 + 1; }

const char *hk_feature_name(int32_t i) {
  if (i == AVX2) return "avx2";
  return i >= 0 && i < AVX2 ? features[i].name : NULL;
}

int32_t hk_feature_on(int32_t i) {
  if (i == AVX2) return hki_wide_here();
  return i >= 0 && i < AVX2 ? features[i].on : 0;
}
