/* SPDX-License-Identifier: Apache-2.0
 *
 * checkpoint.c: the state of a simulation (state.c) as a file. A file is read whole and checked
 * before it enters the simulation. One that is refused leaves the simulation unchanged.
 */
#include <errno.h>
#include <unistd.h>

#include "base/swap.h"
#include "simulation/live.h"

hk_status hki_sim_save(hk_sim *s, const char *path) {
  const size_t bytes = hki_state_size(s);
  unsigned char *blob = hki_alloc(s->ctx, bytes);
  if (!blob) return HK_E_MEMORY;
  hki_state_get(s, blob, true);
  hk_status st = hki_write_file(s->ctx, path, &(hk_piece){blob, bytes}, 1);
  hki_free(s->ctx, blob);
  return st;
}

/* reads exactly `bytes` bytes; false when there are fewer */
static bool read_bytes(int fd, void *to, size_t bytes) {
  char *at = to;
  while (bytes) {
    ssize_t n = read(fd, at, bytes);
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) return false;
    at += n, bytes -= (size_t)n;
  }
  return true;
}

/* bytes of the file, at most `most` of them, in memory of its own; NULL: an error was reported */
static unsigned char *read_whole(hk_ctx *ctx, const char *path, size_t most, size_t *bytes) {
  uint64_t size;
  int fd = hki_open_file(ctx, path, HK_LOC_NONE, &size);
  if (fd < 0) return NULL;
  *bytes = size < most ? (size_t)size : most;
  unsigned char *blob = hki_alloc(ctx, *bytes + 1);
  if (blob && !read_bytes(fd, blob, *bytes)) {
    hki_error(ctx, HK_E_FILE, HK_LOC_NONE, NULL, "cannot resume from '%s': it could not be read",
              path);
    hki_free(ctx, blob);
    blob = NULL;
  }
  close(fd);
  return blob;
}

/* puts the bytes of a file in, if they are good */
static hk_status adopt(hk_sim *s, const char *path, const unsigned char *blob, size_t bytes) {
  double t;
  const char *why = hki_state_fault(s, blob, bytes, &t);
  if (why)
    return hki_error(s->ctx, HK_E_FILE, HK_LOC_NONE, NULL, "cannot resume from '%s': %s", path,
                     why);
  if (t > s->end)
    return hki_error(s->ctx, HK_E_USAGE, HK_LOC_NONE, "give a later --time",
                     "cannot resume from '%s': it was written at t = %.9g s, after the end of this "
                     "run at %.9g s",
                     path, t, s->end);
  hk_status st = hki_state_replace(s, blob);
  if (st != HK_OK)
    return hki_error(s->ctx, st, HK_LOC_NONE, NULL, "cannot resume from '%s': %s", path,
                     hk_status_text(st));
  if (s->I.ops->steps == HK_STEPS_OWN)
    hki_note(s->ctx, HK_LOC_NONE,
             "'%s' starts anew at the checkpoint, because its history cannot be saved: the "
             "results agree with those of a run without a stop within the tolerance, not bit by "
             "bit",
             s->I.ops->name);
  return HK_OK;
}

hk_status hki_sim_load(hk_sim *s, const char *path) {
  size_t bytes = 0;
  const int32_t failures = hki_memory_failures(s->ctx);
  // one byte more than a good file has shows that it is too long
  unsigned char *blob = read_whole(s->ctx, path, hki_state_size(s) + 1, &bytes);
  if (!blob) return hki_memory_failures(s->ctx) > failures ? HK_E_MEMORY : HK_E_FILE;
  hk_status st = adopt(s, path, blob, bytes);
  hki_free(s->ctx, blob);
  return st;
}
