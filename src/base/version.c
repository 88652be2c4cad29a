/* SPDX-License-Identifier: Apache-2.0
 *
 * version.c: the version, and the optional libraries that were built in.
 */
#include "hooke/version.h"
#include "base/base.h"

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

static const struct {
  const char *name;
  int32_t on;
} features[] = {
    {"klu", WITH_KLU}, {"sundials", WITH_SUNDIALS}, {"yaml", WITH_YAML}, {"netcdf", WITH_NETCDF}};

const char *hk_version(void) { return HK_VERSION_STRING; }

int32_t hk_feature_count(void) { return HK_ARRAY_LEN(features); }

const char *hk_feature_name(int32_t i) {
  return i >= 0 && i < hk_feature_count() ? features[i].name : NULL;
}

int32_t hk_feature_on(int32_t i) { return i >= 0 && i < hk_feature_count() ? features[i].on : 0; }
