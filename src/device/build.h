/* SPDX-License-Identifier: Apache-2.0
 *
 * build.h: the kernels of a device: a text becomes a program of the card that is there.
 */
#ifndef HK_DEVICE_BUILD_H
#define HK_DEVICE_BUILD_H

#include "device/device.h"

/* the card, its context, the program and its kernels; HK_OK, or d->why */
hk_status hki_device_build(hk_device *d, const char *text);

#endif
