/* SPDX-License-Identifier: Apache-2.0
 *
 * support_build.c: the builder of specs, shared with the tests of the compiler.
 */
#include "model/support_build.c"
