/* SPDX-License-Identifier: Apache-2.0
 *
 * system_memory.c: how much memory this process may still take: the least of what the system has
 * available, what the control groups of the process leave it, and its resource limits.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "base/base.h"

/* a number in a file of one number; NAN when there is none, INFINITY for "max" */
static double read_number(const char *path) {
  char text[64];
  FILE *f = fopen(path, "r");
  double x = NAN;
  if (!f) return NAN;
  if (fgets(text, sizeof text, f)) {
    char *end;
    x = strncmp(text, "max", 3) == 0 ? INFINITY : strtod(text, &end);
  }
  fclose(f);
  return x;
}

/* the line "Name:  123 kB" of /proc/meminfo, in bytes; NAN when there is none */
static double meminfo(const char *name) {
  char line[256];
  FILE *f = fopen("/proc/meminfo", "r");
  double x = NAN;
  const size_t n = strlen(name);
  while (f && isnan(x) && fgets(line, sizeof line, f))
    if (strncmp(line, name, n) == 0 && line[n] == ':') x = 1024.0 * strtod(line + n + 1, NULL);
  if (f) fclose(f);
  return x;
}

/* the memory a control group leaves: its limit less its use, without the pages of files, which the
 * system drops when they are in the way */
static double group_left(const char *dir) {
  char path[600], line[128];
  double limit, used, cache = 0.0;
  snprintf(path, sizeof path, "%s/memory.max", dir);
  limit = read_number(path);
  snprintf(path, sizeof path, "%s/memory.current", dir);
  used = read_number(path);
  if (isnan(limit) || isnan(used)) return INFINITY;
  snprintf(path, sizeof path, "%s/memory.stat", dir);
  FILE *f = fopen(path, "r");
  while (f && fgets(line, sizeof line, f))
    if (strncmp(line, "inactive_file ", 14) == 0) cache = strtod(line + 14, NULL);
  if (f) fclose(f);
  return limit - used + cache;
}

/* the least that the process's own group and those above it leave (version 2 of control groups) */
static double groups_left(void) {
  char line[512], dir[560];
  double left = group_left("/sys/fs/cgroup");
  FILE *f = fopen("/proc/self/cgroup", "r");
  while (f && fgets(line, sizeof line, f)) {
    if (strncmp(line, "0::/", 4) != 0) continue;
    line[strcspn(line, "\n")] = '\0';
    snprintf(dir, sizeof dir, "/sys/fs/cgroup%s", line + 3);
    for (char *slash = strrchr(dir, '/'); strlen(dir) > strlen("/sys/fs/cgroup") && slash;
         slash = strrchr(dir, '/')) {
      left = fmin(left, group_left(dir));
      *slash = '\0';
    }
  }
  if (f) fclose(f);
  return left;
}

/* what a limit on address space or data leaves */
static double limit_left(int which) {
  struct rlimit limit;
  double pages = NAN;
  if (getrlimit(which, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY) return INFINITY;
  FILE *f = fopen("/proc/self/statm", "r");
  char text[128];
  if (f && fgets(text, sizeof text, f)) pages = strtod(text, NULL);
  if (f) fclose(f);
  const double used = isnan(pages) ? 0.0 : pages * (double)sysconf(_SC_PAGESIZE);
  return (double)limit.rlim_cur - used;
}

double hki_memory_left(void) {
  double left = meminfo("MemAvailable");
  if (isnan(left)) left = (double)sysconf(_SC_PHYS_PAGES) * (double)sysconf(_SC_PAGESIZE);
  if (!(left > 0.0)) left = INFINITY;
  left = fmin(left, groups_left());
  left = fmin(left, limit_left(RLIMIT_AS));
  return fmax(fmin(left, limit_left(RLIMIT_DATA)), 0.0);
}
