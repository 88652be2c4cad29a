/* SPDX-License-Identifier: Apache-2.0
 *
 * status.c: names, sentences and hints of the status codes, from the one list in status.def.
 */
#include "base/base.h"

const char *hk_status_text(hk_status s) {
  switch (s) {
#define X(name, value, text, hint)                                                                 \
  case value:                                                                                      \
    return text;
#include "hooke/status.def"
#undef X
    default:
      return "unknown status";
  }
}

const char *hk_status_hint(hk_status s) {
  switch (s) {
#define X(name, value, text, hint)                                                                 \
  case value:                                                                                      \
    return hint;
#include "hooke/status.def"
#undef X
    default:
      return "";
  }
}

const char *hk_status_name(hk_status s) {
  switch (s) {
#define X(name, value, text, hint)                                                                 \
  case value:                                                                                      \
    return #name;
#include "hooke/status.def"
#undef X
    default:
      return "HK_UNKNOWN";
  }
}
