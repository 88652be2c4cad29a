/* SPDX-License-Identifier: Apache-2.0
 *
 * replay.c: feeds files (or all files of folders) to a fuzz target, for compilers without libFuzzer
 * and for the regression run of the corpus. Prints how many inputs ran.
 */
#include <dirent.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* one file, read whole into a block of exactly its size so that overreads are seen */
static int replay_file(const char *path) {
  FILE *f = fopen(path, "rb");
  if (!f) return perror(path), 0;
  fseek(f, 0, SEEK_END);
  long size = ftell(f);
  rewind(f);
  uint8_t *data = malloc(size > 0 ? (size_t)size : 1);
  int ran = 0;
  if (data && size >= 0 && fread(data, 1, (size_t)size, f) == (size_t)size) {
    LLVMFuzzerTestOneInput(data, (size_t)size);
    ran = 1;
  }
  free(data);
  fclose(f);
  return ran;
}

static int replay_folder(const char *path) {
  DIR *dir = opendir(path);
  if (!dir) return perror(path), 0;
  int ran = 0;
  for (struct dirent *e; (e = readdir(dir));) {
    char name[4096];
    struct stat st;
    snprintf(name, sizeof name, "%s/%s", path, e->d_name);
    if (stat(name, &st) == 0 && S_ISREG(st.st_mode)) ran += replay_file(name);
  }
  closedir(dir);
  return ran;
}

int main(int argc, char **argv) {
  int ran = 0;
  for (int i = 1; i < argc; i++) {
    struct stat st;
    bool folder = stat(argv[i], &st) == 0 && S_ISDIR(st.st_mode);
    ran += folder ? replay_folder(argv[i]) : replay_file(argv[i]);
  }
  printf("%d inputs\n", ran);
  return ran > 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
