/* SPDX-License-Identifier: Apache-2.0
 *
 * consumer.c: a program outside that uses an installed Hooke: prints the version and the words of a
 * status, and makes and destroys a context.
 */
#include <hooke/base.h>
#include <hooke/version.h>
#include <stdio.h>
#include <string.h>

int main(void) {
  hk_ctx *ctx = hk_ctx_create();
  if (!ctx) return 1;
  int32_t messages = hk_ctx_message_count(ctx);
  hk_ctx_destroy(ctx);
  printf("hooke %s: %s\n", HK_VERSION_STRING, hk_status_text(HK_E_SINGULAR));
  return messages != 0 || strcmp(hk_status_name(HK_OK), "HK_OK") != 0;
}
