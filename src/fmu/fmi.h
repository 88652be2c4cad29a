/* SPDX-License-Identifier: Apache-2.0
 *
 * fmi.h: the binary interface of the Functional Mock-up Interface, versions 2.0 and 3.0, as far as Hooke
 * uses it: types, and the functions that an FMU shows. Source: Modelica Association, Functional Mock-up
 * Interface for Model Exchange and Co-Simulation 2.0.4 (2022) and Functional Mock-up Interface
 * Specification 3.0.1 (2023).
 */
#ifndef HK_FMU_FMI_H
#define HK_FMU_FMI_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* a name of its own for each FMU where several are linked into one program */
#ifdef FMI2_FUNCTION_PREFIX
#define HK_FMI_PREFIX FMI2_FUNCTION_PREFIX
#elif defined(FMI3_FUNCTION_PREFIX)
#define HK_FMI_PREFIX FMI3_FUNCTION_PREFIX
#endif
#ifdef HK_FMI_PREFIX
#define HK_FMI_JOIN2(a, b) a##b
#define HK_FMI_JOIN(a, b)  HK_FMI_JOIN2(a, b)
#define HK_FMI_NAME(name)  HK_FMI_JOIN(HK_FMI_PREFIX, name)
#define HK_FMI_SHOWN
#else
#define HK_FMI_NAME(name) name
#ifdef _WIN32
#define HK_FMI_SHOWN __declspec(dllexport)
#elif defined(__GNUC__)
#define HK_FMI_SHOWN __attribute__((visibility("default")))
#else
#define HK_FMI_SHOWN
#endif
#endif

/* both versions; `pending` is of version 2 alone */
typedef enum hk_fmi_status {
  HK_FMI_OK,
  HK_FMI_WARNING,
  HK_FMI_DISCARD,
  HK_FMI_ERROR,
  HK_FMI_FATAL,
  HK_FMI_PENDING
} hk_fmi_status;

typedef unsigned int hk_fmi_reference; /* value reference, 32 bits in both */

/* --- version 2.0 ------------------------------------------------------------------------------ */

typedef struct hk_fmi2_callbacks {
  void (*logger)(void *environment, const char *instance, hk_fmi_status status,
                 const char *category, const char *message, ...);
  void *(*allocate)(size_t n, size_t size);
  void (*release)(void *p);
  void (*step_finished)(void *environment, hk_fmi_status status);
  void *environment;
} hk_fmi2_callbacks;

typedef enum hk_fmi2_type { HK_FMI2_MODEL_EXCHANGE, HK_FMI2_CO_SIMULATION } hk_fmi2_type;

typedef enum hk_fmi2_asks {
  HK_FMI2_STEP_STATUS,
  HK_FMI2_PENDING_STATUS,
  HK_FMI2_LAST_TIME,
  HK_FMI2_TERMINATED
} hk_fmi2_asks;

typedef struct hk_fmi2_event {
  int again, terminate, nominals_changed, states_changed, next_defined;
  double next;
} hk_fmi2_event;

/* --- version 3.0 ------------------------------------------------------------------------------ */

typedef void hk_fmi3_log(void *environment, hk_fmi_status status, const char *category,
                         const char *message);
typedef void hk_fmi3_intermediate(void *environment, double time, bool set_requested,
                                  bool get_allowed, bool step_finished, bool may_return,
                                  bool *return_wanted, double *return_time);

#endif
