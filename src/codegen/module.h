/* SPDX-License-Identifier: Apache-2.0
 *
 * module.h: a WebAssembly module in memory: the kernel of Hooke as a program of a simple machine (guest/guest.c), whose
 * code can be followed instruction by instruction. Bodies of functions are kept as arrays of decoded instructions
 * with branches resolved to places in the same array.
 *
 * Source: WebAssembly Core Specification 1.0, with sign extension, saturating truncation and bulk memory.
 */
#ifndef HK_CODEGEN_MODULE_H
#define HK_CODEGEN_MODULE_H

#include "base/base.h"

/* Instructions by their codes in the binary format; those behind the prefix 0xfc have 0x100 added. */
enum {
  HK_I_UNREACHABLE = 0x00,
  HK_I_BLOCK = 0x02,
  HK_I_LOOP = 0x03,
  HK_I_IF = 0x04,
  HK_I_ELSE = 0x05,
  HK_I_END = 0x0b,
  HK_I_BR = 0x0c,
  HK_I_BR_IF = 0x0d,
  HK_I_BR_TABLE = 0x0e,
  HK_I_RETURN = 0x0f,
  HK_I_CALL = 0x10,
  HK_I_CALL_INDIRECT = 0x11,
  HK_I_DROP = 0x1a,
  HK_I_SELECT = 0x1b,
  HK_I_LOCAL_GET = 0x20,
  HK_I_LOCAL_SET = 0x21,
  HK_I_LOCAL_TEE = 0x22,
  HK_I_GLOBAL_GET = 0x23,
  HK_I_GLOBAL_SET = 0x24,
  HK_I_LOAD_FIRST = 0x28,
  HK_I_STORE_FIRST = 0x36,
  HK_I_MEMORY_SIZE = 0x3f,
  HK_I_MEMORY_GROW = 0x40,
  HK_I_I32_CONST = 0x41,
  HK_I_I64_CONST = 0x42,
  HK_I_F32_CONST = 0x43,
  HK_I_F64_CONST = 0x44,
  HK_I_COPY = 0x10a, /* memory.copy */
  HK_I_FILL = 0x10b, /* memory.fill */
  /* of our own: a branch where the number on the stack is zero (if) */
  HK_I_BR_UNLESS = 0x200
};

/* One instruction. Branches: `a` is the place they lead to, `keep` how many values go along, `height` to which height
 * of the operands the stack is cut. br_table: `a` is its first entry in `fields`, `b` their number. */
typedef struct hk_ins {
  uint16_t op, keep;
  int32_t a, b;
  uint64_t imm; /* constants, offsets of addresses, heights of branches */
} hk_ins;

typedef struct hk_type {
  int32_t nparams, nresults;
} hk_type;

typedef struct hk_function {
  int32_t type;
  int32_t import; /* of an imported function: its number, -1: it has a body */
  const char *name;
  int32_t nparams, nlocals; /* locals with the parameters */
  int32_t n;
  hk_ins *code;
  int32_t nfields;
  hk_ins *fields;      /* targets of br_table */
  const uint8_t *body; /* its bytes, until they are decoded */
  const uint8_t *body_end;
  int32_t *joins; /* n: where the ways of a branch meet (joins.c); NULL: not found yet */
} hk_function;

typedef struct hk_module {
  hk_ctx *ctx;
  hk_pool *pool;
  int32_t ntypes;
  hk_type *types;
  int32_t nfunctions, nimports;
  hk_function *functions;
  const char **imports; /* nimports: names */
  int32_t ntable;
  int32_t *table; /* functions, -1: none */
  int32_t nglobals;
  uint64_t *globals;
  uint32_t pages; /* of memory at the start */
  int32_t ndata;
  struct hk_module_data {
    uint32_t at, n;
    const uint8_t *bytes;
  } * data;
  int32_t nexports;
  struct hk_module_export {
    const char *name;
    int32_t function;
  } * exports;
} hk_module;

/* Reads a module; `bytes` must live as long as it does. Memory is of the pool. */
hk_status hki_module_read(hk_ctx *ctx, hk_pool *pool, const uint8_t *bytes, size_t n,
                          hk_module *out);
/* decodes the body of a function that has not been called before */
hk_status hki_module_decode(hk_module *m, hk_function *f);
/* the number of an exported function, of a function by its name; -1: there is none */
int32_t hki_module_export(const hk_module *m, const char *name);
int32_t hki_module_find(const hk_module *m, const char *name);

#endif
