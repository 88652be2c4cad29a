/* SPDX-License-Identifier: Apache-2.0
 *
 * hooke.h: the whole public interface.
 */
#ifndef HOOKE_H
#define HOOKE_H

#include "hooke/base.h"
#include "hooke/compare.h"
#include "hooke/model.h"
#include "hooke/result.h"
#include "hooke/sim.h"
#include "hooke/version.h"

#endif
