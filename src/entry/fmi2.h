/* SPDX-License-Identifier: Apache-2.0
 *
 * fmi2.h: an instance as the functions of FMI 2.0 see it.
 */
#ifndef HK_ENTRY_FMI2_H
#define HK_ENTRY_FMI2_H

#include "entry/open.h"
#include "fmu/exchange.h"

/* a function of the interface: its prototype, or its definition */
#define FMI2(type, name) HK_FMI_SHOWN type HK_FMI_NAME(fmi2##name)

typedef struct hk_component {
  hk_unit *u;
  hk_fmi2_callbacks call;
  char *name;
  bool logging;
  double last; /* time that the last step has reached */
  bool ended;  /* an event of the model has ended the run */
} hk_component;

#endif
