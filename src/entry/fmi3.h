/* SPDX-License-Identifier: Apache-2.0
 *
 * fmi3.h: an instance as the functions of FMI 3.0 see it.
 */
#ifndef HK_ENTRY_FMI3_H
#define HK_ENTRY_FMI3_H

#include "entry/open.h"
#include "fmu/exchange.h"

/* a function of the interface: its prototype, or its definition */
#define FMI3(type, name) HK_FMI_SHOWN type HK_FMI_NAME(fmi3##name)

typedef struct hk_instance {
  hk_unit *u;
  void *environment;
  hk_fmi3_log *log;
  bool logging;
  bool event_mode, early; /* co-simulation: event mode is used; steps may end at events */
} hk_instance;

hk_fmi_status hki_fmi3_told(hk_status st);
hk_fmi_status hki_fmi3_refuse(hk_instance *c, const char *why);

#endif
