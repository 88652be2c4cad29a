/* SPDX-License-Identifier: Apache-2.0
 *
 * support.c: the mechanisms made by hand, shared with the tests of the analyses.
 */
#include "analyses/support_mechanisms.c"
#include "analyses/support_forces.c"
#include "model/support_build.c"
