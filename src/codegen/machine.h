/* SPDX-License-Identifier: Apache-2.0
 *
 * machine.h: a machine that carries out the kernel's code (module.h) on numbers of which some are only known by name.
 *
 * Every value has its bits and, where it depends on the state, the node of the graph that computes it; its bits are then
 * those of one example. Operations on known values are carried out; an operation on others becomes a node. Addresses,
 * counters and types are known, so loops run and calls are made as in the library, and what remains is the
 * arithmetic of one model.
 *
 * Branches. Where a condition depends on the state, both ways are followed to the place where they meet (joins.h),
 * one after the other from the same state, and what they have left differently there becomes
 *
 *   SELECT(condition, value of one way, value of the other)
 *
 * So the result has no branches. A loop whose end depends on the state is followed up to a limit; it is an
 * error beyond it.
 */
#ifndef HK_CODEGEN_MACHINE_H
#define HK_CODEGEN_MACHINE_H

#include "codegen/graph.h"
#include "codegen/module.h"

typedef struct hk_slot {
  uint64_t bits;
  hk_node node; /* 0: the bits are known */
  bool real;    /* the bits of a number with a point, also where they are moved as a whole number */
} hk_slot;

/* marks of bytes of memory */
enum {
  HK_BYTE_REAL = 1u,    /* the first of a number with a point */
  HK_BYTE_WRITTEN = 2u, /* stored since the marks were cleared */
  HK_BYTE_LOOPED = 4u,  /* the same, while `writing` had this bit */
  HK_BYTE_SIZE = 8u,    /* of the value stored last: 1, 2, 4 or 8 times this */
  HK_BYTE_DONE = 128u   /* scratch of hki_cells_merge */
};
#define HK_SHADOW_REST UINT32_MAX /* shadow of the bytes behind the first of a value with a node */

/* A store that may have to be undone: the bytes and what stood beside them. left: memory of a call that has ended; cut: the
 * last value goes on behind the bytes. */
typedef struct hk_undo {
  uint32_t at;
  uint8_t n, real;
  bool left, cut;
  uint8_t bytes[8];
  uint32_t shadow[8];
} hk_undo;

typedef struct hk_guest hk_guest;
typedef hk_status hk_guest_import(hk_guest *m, const char *name, hk_slot *args, hk_slot *out);

struct hk_guest {
  hk_ctx *ctx;
  hk_module *mod;
  hk_graph *g;
  uint8_t *mem, *marks;
  uint32_t *shadow;
  uint32_t size, most; /* bytes of memory now, and those there is room for */
  hk_slot *slots;
  int32_t nslots, top; /* top: first free slot */
  int32_t depth;       /* of calls */
  uint32_t stack; /* end of the memory that calls use for their own ends; it is used downwards */
  hk_undo *undo;
  size_t nundo, cap_undo;
  int32_t forks;    /* branches whose ways are being followed */
  uint8_t writing;  /* marks that stores leave */
  bool second;      /* of two ways that meet the example has taken the second */
  int64_t executed; /* instructions */
  int64_t forked;   /* branches that depended on the state */
  /* that a function has failed: a way that returns an error is not followed further */
  void (*failed)(hk_guest *m, hk_node condition);
  /* Where this is set, a number that decides something (a branch, an address, a type) is what it is in the example, and
   * that is told: the result holds while `truth` is `value`. Branches are then not followed both ways. */
  void (*assume)(hk_guest *m, hk_node truth, bool value);
  /* what the number in a cell can be; false: it is not known */
  bool (*cell_range)(hk_guest *m, hk_node load, double *lo, double *hi);
  uint8_t *
      builtin; /* of each function: what carries it out in its place (machine_calls.c), 0: its code */
  hk_guest_import *import;
  void *user;
  const char *where;            /* name of the function that is carried out */
  bool quiet;                   /* faults are not told: who calls tries something else */
  const char *advice;           /* what to do where the step cannot be followed */
  const char *cause, *cause_in; /* the last fault, told or not, and the function it was found in */
};

hk_status hki_guest_create(hk_ctx *ctx, hk_module *mod, hk_graph *g, hk_guest *out);
void hki_guest_destroy(hk_guest *m);
/* calls a function: arguments in, results out (at most one) */
hk_status hki_guest_call(hk_guest *m, int32_t function, const hk_slot *args, int32_t nargs,
                         hk_slot *out);
hk_status hki_guest_fail(hk_guest *m, const char *what);

/* a value that has to be known is what it is in the example, where that can be assumed */
void hki_guest_settle(hk_guest *m, hk_slot *s);
/* one value as a node, whatever it is */
hk_node hki_slot_real(hk_guest *m, hk_slot s);
hk_node hki_slot_int(hk_guest *m, hk_slot s);
hk_slot hki_slot_of(double x);
double hki_slot_double(hk_slot s);
/* what two ways have left in one place */
hk_slot hki_slot_merge(hk_guest *m, hk_node condition, hk_slot a, hk_slot b);

/* memory (machine_memory.c): `n` bytes as one value */
hk_status hki_cells_load(hk_guest *m, uint32_t at, int n, hk_slot *out);
/* the number at an address; false: something else is there now */
bool hki_cells_look(const hk_guest *m, uint32_t at, hk_slot *out);
hk_status hki_cells_store(hk_guest *m, uint32_t at, int n, hk_slot x);
hk_status hki_cells_copy(hk_guest *m, uint32_t to, uint32_t from, uint32_t n);
hk_status hki_cells_fill(hk_guest *m, uint32_t to, int byte, uint32_t n);
hk_status hki_cells_grow(hk_guest *m, uint32_t pages, uint32_t *before);
/* memory of a call that ends: what it held is forgotten */
hk_status hki_cells_leave(hk_guest *m, uint32_t from, uint32_t to);
/* Is it memory that calls use for their own ends? Of calls that have ended, so that what it holds belongs to nobody? */
bool hki_cells_of_calls(const hk_guest *m, uint32_t at);
bool hki_cells_free(const hk_guest *m, uint32_t at);
/* takes back the stores since `mark`; what they had left is kept in `out` (in the order of the stores) */
typedef struct hk_stores {
  hk_undo *all; /* with what stood there at last */
  size_t count;
} hk_stores;
hk_status hki_cells_take_back(hk_guest *m, size_t mark, hk_stores *out);
void hki_stores_free(hk_guest *m, hk_stores *s);
/* puts back what was taken */
hk_status hki_cells_put_back(hk_guest *m, const hk_stores *s);
hk_status hki_cells_merge(hk_guest *m, hk_node condition, size_t mark, const hk_stores *other);

/* instructions by groups; `s` points behind the last operand. They leave their result in place of the first one. */
hk_status hki_guest_int(hk_guest *m, int op, hk_slot *s);
hk_status hki_guest_real(hk_guest *m, int op, hk_slot *s);
hk_status hki_guest_access(hk_guest *m, const hk_ins *i, hk_slot *s);
/* functions of the C library that are carried out here (machine_calls.c); true where `function` is one */
void hki_guest_find_builtins(hk_guest *m);
hk_status hki_guest_builtin(hk_guest *m, int which, hk_slot *args, hk_slot *out);
/* places in tables that depend on the state (machine_table.c): a load of n bytes, a search; what a number can be */
hk_status hki_guest_gather(hk_guest *m, hk_node address, uint32_t offset, int n, uint64_t example,
                           hk_slot *out);
hk_status hki_guest_segment(hk_guest *m, const hk_slot *args, hk_slot *out);
bool hki_guest_range(hk_guest *m, hk_node n, double *lo, double *hi);
/* is a call of a function that is carried out here such for these arguments? */
bool hki_guest_takes(const hk_guest *m, int which, const hk_slot *args);
/* does an instruction belong to hki_guest_real? */
bool hki_is_real_op(int op);
/* `f` at every leaf of a whole number */
hk_status hki_guest_leaves(hk_guest *m, hk_node n, uint64_t *leaf, hk_node *condition, int cap,
                           int *count);

#endif
