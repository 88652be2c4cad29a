/* SPDX-License-Identifier: Apache-2.0
 *
 * fmi3_others.c: functions of the Functional Mock-up Interface 3.0 that this FMU has no use for: other
 * types than 64-bit numbers, clocks, configuration, adjoint derivatives. They must be there; asked for
 * nothing they succeed, otherwise they refuse.
 */
#include "entry/fmi3.h"

static hk_fmi_status others(hk_instance *c, size_t n) {
  return n ? hki_fmi3_refuse(c, "all variables of this FMU are 64-bit numbers") : HK_FMI_OK;
}

#define NO_TYPE(name, type)                                                                        \
  FMI3(hk_fmi_status, Get##name)                                                                   \
  (hk_instance * c, const hk_fmi_reference *refs, size_t n, type *values, size_t nvalues);         \
  FMI3(hk_fmi_status, Get##name)                                                                   \
  (hk_instance * c, const hk_fmi_reference *refs, size_t n, type *values, size_t nvalues) {        \
    (void)refs, (void)values, (void)nvalues;                                                       \
    return others(c, n);                                                                           \
  }                                                                                                \
  FMI3(hk_fmi_status, Set##name)                                                                   \
  (hk_instance * c, const hk_fmi_reference *refs, size_t n, const type *values, size_t nvalues);   \
  FMI3(hk_fmi_status, Set##name)                                                                   \
  (hk_instance * c, const hk_fmi_reference *refs, size_t n, const type *values, size_t nvalues) {  \
    (void)refs, (void)values, (void)nvalues;                                                       \
    return others(c, n);                                                                           \
  }
NO_TYPE(Float32, float)
NO_TYPE(Int8, int8_t)
NO_TYPE(UInt8, uint8_t)
NO_TYPE(Int16, int16_t)
NO_TYPE(UInt16, uint16_t)
NO_TYPE(Int32, int32_t)
NO_TYPE(UInt32, uint32_t)
NO_TYPE(Int64, int64_t)
NO_TYPE(UInt64, uint64_t)
NO_TYPE(Boolean, bool)

typedef const char *text;
NO_TYPE(String, text)

typedef const unsigned char *binary;
FMI3(hk_fmi_status, GetBinary)
(hk_instance *c, const hk_fmi_reference *refs, size_t n, size_t *sizes, binary *values, size_t nv);
FMI3(hk_fmi_status, GetBinary)
(hk_instance *c, const hk_fmi_reference *refs, size_t n, size_t *sizes, binary *values, size_t nv) {
  (void)refs, (void)sizes, (void)values, (void)nv;
  return others(c, n);
}
FMI3(hk_fmi_status, SetBinary)
(hk_instance *c, const hk_fmi_reference *refs, size_t n, const size_t *sizes, const binary *values,
 size_t nv);
FMI3(hk_fmi_status, SetBinary)
(hk_instance *c, const hk_fmi_reference *refs, size_t n, const size_t *sizes, const binary *values,
 size_t nv) {
  (void)refs, (void)sizes, (void)values, (void)nv;
  return others(c, n);
}

/* clocks: up to three arrays beside the references */
#define NO_CLOCK(name, ...)                                                                        \
  FMI3(hk_fmi_status, name)(hk_instance * c, const hk_fmi_reference *refs, size_t n, __VA_ARGS__); \
  FMI3(hk_fmi_status, name)(hk_instance * c, const hk_fmi_reference *refs, size_t n, __VA_ARGS__)
NO_CLOCK(GetClock, bool *a) { return (void)refs, (void)a, others(c, n); }
NO_CLOCK(SetClock, const bool *a) { return (void)refs, (void)a, others(c, n); }
NO_CLOCK(GetIntervalDecimal, double *a, int *b) {
  return (void)refs, (void)a, (void)b, others(c, n);
}
NO_CLOCK(GetIntervalFraction, uint64_t *a, uint64_t *b, int *d) {
  return (void)refs, (void)a, (void)b, (void)d, others(c, n);
}
NO_CLOCK(GetShiftDecimal, double *a) { return (void)refs, (void)a, others(c, n); }
NO_CLOCK(GetShiftFraction, uint64_t *a, uint64_t *b) {
  return (void)refs, (void)a, (void)b, others(c, n);
}
NO_CLOCK(SetIntervalDecimal, const double *a) { return (void)refs, (void)a, others(c, n); }
NO_CLOCK(SetIntervalFraction, const uint64_t *a, const uint64_t *b) {
  return (void)refs, (void)a, (void)b, others(c, n);
}
NO_CLOCK(SetShiftDecimal, const double *a) { return (void)refs, (void)a, others(c, n); }
NO_CLOCK(SetShiftFraction, const uint64_t *a, const uint64_t *b) {
  return (void)refs, (void)a, (void)b, others(c, n);
}

FMI3(hk_fmi_status, ActivateModelPartition)(hk_instance *c, hk_fmi_reference clock, double time);
FMI3(hk_fmi_status, ActivateModelPartition)(hk_instance *c, hk_fmi_reference clock, double time) {
  (void)clock, (void)time;
  return others(c, 1);
}

FMI3(hk_fmi_status, EnterConfigurationMode)(hk_instance *c);
FMI3(hk_fmi_status, EnterConfigurationMode)(hk_instance *c) {
  return hki_fmi3_refuse(c, "this FMU has no structural parameters");
}
FMI3(hk_fmi_status, ExitConfigurationMode)(hk_instance *c);
FMI3(hk_fmi_status, ExitConfigurationMode)(hk_instance *c) {
  return hki_fmi3_refuse(c, "this FMU has no structural parameters");
}

FMI3(hk_fmi_status, GetNumberOfVariableDependencies)
(hk_instance *c, hk_fmi_reference ref, size_t *n);
FMI3(hk_fmi_status, GetNumberOfVariableDependencies)
(hk_instance *c, hk_fmi_reference ref, size_t *n) {
  (void)ref, (void)n;
  return hki_fmi3_refuse(c, "dependencies are not told one by one");
}
FMI3(hk_fmi_status, GetVariableDependencies)
(hk_instance *c, hk_fmi_reference ref, size_t *places, hk_fmi_reference *independents,
 size_t *their_places, int *kinds, size_t n);
FMI3(hk_fmi_status, GetVariableDependencies)
(hk_instance *c, hk_fmi_reference ref, size_t *places, hk_fmi_reference *independents,
 size_t *their_places, int *kinds, size_t n) {
  (void)ref, (void)places, (void)independents, (void)their_places, (void)kinds, (void)n;
  return hki_fmi3_refuse(c, "dependencies are not told one by one");
}

FMI3(hk_fmi_status, GetAdjointDerivative)
(hk_instance *c, const hk_fmi_reference *unknowns, size_t nunknowns, const hk_fmi_reference *knowns,
 size_t nknowns, const double *seed, size_t nseed, double *out, size_t nout);
FMI3(hk_fmi_status, GetAdjointDerivative)
(hk_instance *c, const hk_fmi_reference *unknowns, size_t nunknowns, const hk_fmi_reference *knowns,
 size_t nknowns, const double *seed, size_t nseed, double *out, size_t nout) {
  (void)unknowns, (void)nunknowns, (void)knowns, (void)nknowns, (void)seed, (void)nseed, (void)out;
  (void)nout;
  return hki_fmi3_refuse(c, "there are no adjoint derivatives");
}
