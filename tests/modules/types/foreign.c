/* SPDX-License-Identifier: Apache-2.0
 *
 * foreign.c: a shared library that is no module.
 */
int foreign(void);
__attribute__((visibility("default"))) int foreign(void) { return 42; }
