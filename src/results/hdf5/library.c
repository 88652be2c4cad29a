/* SPDX-License-Identifier: Apache-2.0
 *
 * library.c: loads HDF5 when it is first needed. It is looked for by its soname (HK_HDF5_SONAME) in
 * the system's library path and this library's run path, then at the path it had when Hooke was
 * built (HK_HDF5_FILE). With HK_HDF5_LINK it is linked into the program instead.
 */
#include "base/base.h"

#ifdef HK_WITH_HDF5

#include <dlfcn.h>
#include <stdio.h>
#include <string.h>

#include "results/hdf5/library.h"

/* the compiler checks library.def against HDF5's own declarations */
#define X(result, name, arguments)                                                                 \
  _Static_assert(_Generic(&H5##name, result(*) arguments : 1, default : 0),                        \
                 "library.def: H5" #name);
#include "results/hdf5/library.def"
#undef X

static hk_hdf5 table;
static bool loaded;

#ifdef HK_HDF5_LINK

static bool fill(char *why, size_t cap) {
  (void)why, (void)cap;
#define X(result, name, arguments) table.name = H5##name;
#include "results/hdf5/library.def"
#undef X
  table.native_double = H5T_NATIVE_DOUBLE, table.native_float = H5T_NATIVE_FLOAT;
  table.native_int = H5T_NATIVE_INT, table.native_int32 = H5T_NATIVE_INT32;
  table.text = H5T_C_S1, table.file_access = H5P_FILE_ACCESS;
  return true;
}

#else

/* names as the linker knows them: some carry their version */
#define TEXT_(x)                   #x
#define TEXT(x)                    TEXT_(x)
static const struct {
  const char *name;
  size_t at;
} functions[] = {
#define X(result, name, arguments) {TEXT(H5##name), offsetof(hk_hdf5, name)},
#include "results/hdf5/library.def"
#undef X
};

static const struct {
  const char *name;
  size_t at;
} variables[] = {
    {"H5T_NATIVE_DOUBLE_g", offsetof(hk_hdf5, native_double)},
    {"H5T_NATIVE_FLOAT_g", offsetof(hk_hdf5, native_float)},
    {"H5T_NATIVE_INT_g", offsetof(hk_hdf5, native_int)},
    {"H5T_NATIVE_INT32_g", offsetof(hk_hdf5, native_int32)},
    {"H5T_C_S1_g", offsetof(hk_hdf5, text)},
    {"H5P_CLS_FILE_ACCESS_ID_g", offsetof(hk_hdf5, file_access)},
};

static bool missing(char *why, size_t cap, const char *name) {
  snprintf(why, cap, "the HDF5 library on this machine has no '%s'", name);
  return false;
}

/* the version must be that of the headers, since structs differ between versions */
static bool is_version(char *why, size_t cap) {
  unsigned major = 0, minor = 0, release = 0;
  table.get_libversion(&major, &minor, &release);
  if (major == H5_VERS_MAJOR && minor == H5_VERS_MINOR) return true;
  snprintf(why, cap, "the HDF5 library on this machine is version %u.%u, expected %d.%d", major,
           minor, H5_VERS_MAJOR, H5_VERS_MINOR);
  return false;
}

/* load the library and fill the table; it stays loaded to the end of the program */
static bool fill(char *why, size_t cap) {
  void *library = dlopen(HK_HDF5_SONAME, RTLD_LAZY | RTLD_LOCAL);
  if (!library) library = dlopen(HK_HDF5_FILE, RTLD_LAZY | RTLD_LOCAL);
  if (!library) {
    const char *said = dlerror();
    snprintf(why, cap, "the HDF5 library '%s' cannot be loaded: %s", HK_HDF5_SONAME,
             said ? said : "unknown reason");
    return false;
  }
  for (int32_t i = 0; i < HK_ARRAY_LEN(functions); i++) {
    void *f = dlsym(library, functions[i].name);
    if (!f) return missing(why, cap, functions[i].name);
    memcpy((char *)&table + functions[i].at, &f, sizeof f);
  }
  if (!is_version(why, cap)) return false;
  table.open();
  // in a program that links HDF5 itself, these variables may be copies in the program's data
  void *program = dlopen(NULL, RTLD_LAZY);
  for (int32_t i = 0; i < HK_ARRAY_LEN(variables); i++) {
    const hid_t *v = program ? dlsym(program, variables[i].name) : NULL;
    if (!v) v = dlsym(library, variables[i].name);
    if (!v) return missing(why, cap, variables[i].name);
    memcpy((char *)&table + variables[i].at, v, sizeof *v);
  }
  return true;
}

#endif

const hk_hdf5 *hki_hdf5(char *why, size_t cap) {
  if (!loaded) loaded = fill(why, cap);
  return loaded ? &table : NULL;
}

#else

/* ISO C forbids an empty file */
typedef int hki_no_hdf5;

#endif
