/* SPDX-License-Identifier: Apache-2.0
 *
 * reader_flexible.h: `flexible:` of a model file: bodies with modes.
 */
#ifndef HK_LANGUAGE_READER_FLEXIBLE_H
#define HK_LANGUAGE_READER_FLEXIBLE_H

#include "elements/modal.h"
#include "flex/flex.h"
#include "language/reader.h"

extern const hk_param hki_keys_flexible[];

/* a body with modes in the axes of the drawing: the floating frame as a rigid body, what its interfaces
 * have of the mass, and the element */
typedef struct hk_rd_modal_body {
  double mass, com[3], J[9]; /* J about com; world axes */
  double face_mass, face_inertia;
  hk_modal_par par; /* without gravity and places */
} hk_rd_modal_body;

/* the first ne modes of b, placed at `at`; zeta (ne): damping ratios; false: no memory */
bool hki_rd_modal(hk_pool *pool, const hk_flex *b, int32_t ne, const double *zeta, bool stiffening,
                  const hk_offset *at, hk_rd_modal_body *out);

/* --- reader_flexible_mesh.c: `data` is a mesh or a finite-element model, with keys of its own -------------- */

/* is it what `hooke reduce` writes? */
bool hki_rd_flexible_is_body(const char *bytes, size_t len);
/* refuses the keys of a mesh beside a body that is made already */
bool hki_rd_flexible_no_mesh(hk_reader *rd, const hk_entry *e);
/* reduces it; digest: of what the keys say */
bool hki_rd_flexible_mesh(hk_reader *rd, hk_rd_scope *s, const hk_entry *e, const char *path,
                          const char *bytes, size_t len, hk_flex *out, uint64_t *digest);

/* what a coupler of a flexible body has beside its coefficients: Q of hk_spec_coupling */
struct hk_rd_tie {
  struct hk_rd_tie *next;
  int32_t joint;
  const double *Q;
};

/* bodies, joints and elements of all flexible bodies of a scope */
void hki_rd_flexible_register(hk_reader *rd, hk_rd_scope *s);

/* Is the name, which no body has, that of an interface which a flexible body does not have? Then this is said. */
bool hki_rd_flexible_no_face(hk_reader *rd, const hk_rd_scope *s, const hk_node *node);
/* what they need of the rest of the model: gravity, a frame of reference at rest */
void hki_rd_flexible_finish(hk_reader *rd);

#endif
