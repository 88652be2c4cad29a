/* SPDX-License-Identifier: Apache-2.0
 *
 * module.c: reads the sections of a WebAssembly module.
 */
#include "codegen/module.h"

#include <string.h>

#include "codegen/bytes.h"

static char *take_name(hk_pool *pool, hk_bytes *b) {
  const uint32_t n = hki_bytes_u32(b);
  if (n > (size_t)(b->end - b->at)) {
    b->bad = true;
    return NULL;
  }
  char *s = hki_pool_alloc(pool, (size_t)n + 1);
  if (s) memcpy(s, b->at, n);
  b->at += n;
  if (!s) b->bad = true;
  return s;
}

/* memory for n things; too many for the bytes that are left is a fault of the file */
static void *take_list(hk_module *m, hk_bytes *b, uint32_t n, size_t size) {
  if (n > (size_t)(b->end - b->at)) {
    b->bad = true;
    return NULL;
  }
  void *p = hki_pool_alloc(m->pool, ((size_t)n + 1) * size);
  if (!p) b->bad = true;
  return p;
}

static void read_types(hk_module *m, hk_bytes *b) {
  const uint32_t n = hki_bytes_u32(b);
  m->types = take_list(m, b, n, sizeof *m->types);
  for (uint32_t i = 0; i < n && !b->bad; i++) {
    hki_bytes_skip(b, 1);
    m->types[i].nparams = (int32_t)hki_bytes_u32(b);
    hki_bytes_skip(b, (size_t)m->types[i].nparams);
    m->types[i].nresults = (int32_t)hki_bytes_u32(b);
    hki_bytes_skip(b, (size_t)m->types[i].nresults);
  }
  m->ntypes = (int32_t)n;
}

static void read_imports(hk_module *m, hk_bytes *b) {
  const uint32_t n = hki_bytes_u32(b);
  m->imports = take_list(m, b, n, sizeof *m->imports);
  m->functions = take_list(m, b, n, sizeof *m->functions);
  for (uint32_t i = 0; i < n && !b->bad; i++) {
    take_name(m->pool, b);
    m->imports[i] = take_name(m->pool, b);
    if (hki_bytes_u8(b) != 0) b->bad = true; // functions only
    const uint32_t type = hki_bytes_u32(b);
    if (type >= (uint32_t)m->ntypes) b->bad = true;
    if (b->bad) return;
    m->functions[i] = (hk_function){.type = (int32_t)type, .import = (int32_t)i};
    m->functions[i].name = m->imports[i];
    m->functions[i].nparams = m->types[type].nparams;
  }
  m->nimports = m->nfunctions = (int32_t)n;
}

static void read_functions(hk_module *m, hk_bytes *b) {
  const uint32_t n = hki_bytes_u32(b);
  hk_function *all = take_list(m, b, n, sizeof *all);
  hk_function *both = hki_pool_alloc(m->pool, ((size_t)n + (size_t)m->nimports + 1) * sizeof *both);
  if (b->bad || !all || !both) {
    b->bad = true;
    return;
  }
  for (int32_t i = 0; i < m->nimports; i++) both[i] = m->functions[i];
  for (uint32_t i = 0; i < n && !b->bad; i++) {
    const uint32_t type = hki_bytes_u32(b);
    if (type >= (uint32_t)m->ntypes) {
      b->bad = true;
      return;
    }
    both[(uint32_t)m->nimports + i] =
        (hk_function){.type = (int32_t)type, .import = -1, .name = "?"};
    both[(uint32_t)m->nimports + i].nparams = m->types[type].nparams;
  }
  m->functions = both;
  m->nfunctions = m->nimports + (int32_t)n;
}

/* an initial value: one constant instruction and the end */
static uint64_t take_constant(hk_bytes *b) {
  const int op = hki_bytes_u8(b);
  uint64_t x = 0;
  if (op == HK_I_I32_CONST)
    x = (uint32_t)hki_bytes_signed(b);
  else if (op == HK_I_I64_CONST)
    x = (uint64_t)hki_bytes_signed(b);
  else if (op == HK_I_F64_CONST)
    x = hki_bytes_u64(b);
  else
    b->bad = true;
  if (hki_bytes_u8(b) != HK_I_END) b->bad = true;
  return x;
}

static void read_globals(hk_module *m, hk_bytes *b) {
  const uint32_t n = hki_bytes_u32(b);
  m->globals = take_list(m, b, n, sizeof *m->globals);
  for (uint32_t i = 0; i < n && !b->bad; i++) {
    hki_bytes_skip(b, 2);
    m->globals[i] = take_constant(b);
  }
  m->nglobals = (int32_t)n;
}

static void read_exports(hk_module *m, hk_bytes *b) {
  const uint32_t n = hki_bytes_u32(b);
  m->exports = take_list(m, b, n, sizeof *m->exports);
  for (uint32_t i = 0; i < n && !b->bad; i++) {
    const char *name = take_name(m->pool, b);
    const int kind = hki_bytes_u8(b);
    const uint32_t at = hki_bytes_u32(b);
    if (kind != 0 || b->bad) continue;
    m->exports[m->nexports].name = name;
    m->exports[m->nexports++].function = (int32_t)at;
  }
}

static void read_elements(hk_module *m, hk_bytes *b) {
  const uint32_t n = hki_bytes_u32(b);
  for (uint32_t i = 0; i < n && !b->bad; i++) {
    if (hki_bytes_u32(b) != 0) b->bad = true;
    const uint32_t at = (uint32_t)take_constant(b), count = hki_bytes_u32(b);
    if (at > (uint32_t)m->ntable || count > (uint32_t)m->ntable - at) b->bad = true;
    for (uint32_t k = 0; k < count && !b->bad; k++) m->table[at + k] = (int32_t)hki_bytes_u32(b);
  }
}

static void read_table(hk_module *m, hk_bytes *b) {
  const uint32_t n = hki_bytes_u32(b);
  if (n != 1) b->bad = true;
  hki_bytes_skip(b, 1);
  const int limits = hki_bytes_u8(b);
  const uint32_t size = hki_bytes_u32(b);
  if (limits & 1) hki_bytes_u32(b);
  if (size > 1000000) b->bad = true;
  m->table = b->bad ? NULL : hki_pool_alloc(m->pool, ((size_t)size + 1) * sizeof *m->table);
  if (!m->table) {
    b->bad = true;
    return;
  }
  for (uint32_t i = 0; i < size; i++) m->table[i] = -1;
  m->ntable = (int32_t)size;
}

static void read_memory(hk_module *m, hk_bytes *b) {
  if (hki_bytes_u32(b) != 1) b->bad = true;
  const int limits = hki_bytes_u8(b);
  m->pages = hki_bytes_u32(b);
  if (limits & 1) hki_bytes_u32(b);
  if (m->pages > 65536) b->bad = true;
}

static void read_code(hk_module *m, hk_bytes *b) {
  const uint32_t n = hki_bytes_u32(b);
  if (n != (uint32_t)(m->nfunctions - m->nimports)) b->bad = true;
  for (uint32_t i = 0; i < n && !b->bad; i++) {
    hk_function *f = &m->functions[m->nimports + (int32_t)i];
    const uint32_t size = hki_bytes_u32(b);
    if (size > (size_t)(b->end - b->at)) {
      b->bad = true;
      return;
    }
    f->body = b->at;
    f->body_end = b->at + size;
    b->at += size;
  }
}

static void read_data(hk_module *m, hk_bytes *b) {
  const uint32_t n = hki_bytes_u32(b);
  m->data = take_list(m, b, n, sizeof *m->data);
  for (uint32_t i = 0; i < n && !b->bad; i++) {
    if (hki_bytes_u32(b) != 0) b->bad = true;
    m->data[i].at = (uint32_t)take_constant(b);
    m->data[i].n = hki_bytes_u32(b);
    m->data[i].bytes = b->at;
    hki_bytes_skip(b, m->data[i].n);
  }
  m->ndata = (int32_t)n;
}

/* the section of names: those of functions */
static void read_names(hk_module *m, hk_bytes *b) {
  const char *section = take_name(m->pool, b);
  if (!section || strcmp(section, "name") != 0) return;
  while (!b->bad && b->at < b->end) {
    const int kind = hki_bytes_u8(b);
    const uint32_t size = hki_bytes_u32(b);
    if (kind != 1) {
      hki_bytes_skip(b, size);
      continue;
    }
    const uint32_t n = hki_bytes_u32(b);
    for (uint32_t i = 0; i < n && !b->bad; i++) {
      const uint32_t at = hki_bytes_u32(b);
      const char *name = take_name(m->pool, b);
      if (at < (uint32_t)m->nfunctions && name) m->functions[at].name = name;
    }
  }
}

static void read_section(hk_module *m, int kind, hk_bytes *b) {
  static void (*const readers[])(hk_module *, hk_bytes *) = {
      read_names,   read_types,   read_imports, read_functions, read_table, read_memory,
      read_globals, read_exports, NULL,         read_elements,  read_code,  read_data};
  if (kind < 0 || kind >= (int)(sizeof readers / sizeof readers[0]) || !readers[kind]) return;
  readers[kind](m, b);
}

hk_status hki_module_read(hk_ctx *ctx, hk_pool *pool, const uint8_t *bytes, size_t n,
                          hk_module *out) {
  static const uint8_t head[8] = {0, 'a', 's', 'm', 1, 0, 0, 0};
  *out = (hk_module){.ctx = ctx, .pool = pool};
  hk_bytes b = {bytes, bytes + n, false};
  if (n < 8 || memcmp(bytes, head, 8) != 0) b.bad = true;
  b.at += n < 8 ? n : 8;
  while (!b.bad && b.at < b.end) {
    const int kind = hki_bytes_u8(&b);
    const uint32_t size = hki_bytes_u32(&b);
    if (size > (size_t)(b.end - b.at)) b.bad = true;
    if (b.bad) break;
    hk_bytes part = {b.at, b.at + size, false};
    read_section(out, kind, &part);
    b.bad = part.bad;
    b.at += size;
  }
  if (!b.bad) return HK_OK;
  return hki_error(ctx, HK_E_FILE, HK_LOC_NONE, NULL, "the kernel for exports is damaged");
}

int32_t hki_module_export(const hk_module *m, const char *name) {
  for (int32_t i = 0; i < m->nexports; i++)
    if (strcmp(m->exports[i].name, name) == 0) return m->exports[i].function;
  return -1;
}

int32_t hki_module_find(const hk_module *m, const char *name) {
  for (int32_t i = 0; i < m->nfunctions; i++)
    if (strcmp(m->functions[i].name, name) == 0) return i;
  return -1;
}
