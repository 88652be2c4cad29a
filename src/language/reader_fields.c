/* SPDX-License-Identifier: Apache-2.0
 *
 * reader_fields.c: what acts on every mass of the model: `gravity` and the motion of the frame of
 * reference, `run: {frame: ..}`. Constant uniform gravity is a number of the model. All else becomes
 * one element for each body with mass (elements/field.h), named gravity.BODY or frame.BODY.
 */
#include "language/reader.h"
#include "language/reader_shapes.h"
#include "elements/field.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* values that may vary: what they are at first, and the signals they follow */
typedef struct inputs {
  double u[HK_ELEMENT_INPUTS];
  int32_t signal[HK_ELEMENT_INPUTS];
  uint32_t rate; /* bit i: the rate of its signal */
} inputs;

static void no_inputs(inputs *in) {
  *in = (inputs){.rate = 0};
  for (int k = 0; k < HK_ELEMENT_INPUTS; k++) in->signal[k] = HK_NONE;
}

/* three numbers or signals from `first` on */
static bool read_three(hk_reader *rd, const hk_node *node, const char *what, int32_t first,
                       inputs *in) {
  char name[80], found[64];
  bool ok = true;
  if (node->kind != HK_NODE_SEQUENCE || node->count != 3) {
    hki_rd_error(rd, node->loc, "write it as [x, y, z]",
                 "'%s' must be a list of 3 numbers, found %s", what,
                 hki_node_describe(node, found, sizeof found));
    return false;
  }
  for (int32_t k = 0; k < 3; k++) {
    snprintf(name, sizeof name, "%s.%c", what, "xyz"[k]);
    ok = hki_rd_dynamic(rd, rd->scopes[0], node->items[k], name, 1, &in->u[first + k],
                        &in->signal[first + k]) &&
         ok;
  }
  return ok;
}

/* --- one element for each body ---------------------------------------------------------------- */

static bool add_field(hk_reader *rd, const hk_element_ops *ops, const char *group, hk_loc loc,
                      int32_t body, const inputs *in) {
  hk_spec *spec = rd->spec;
  const hk_spec_body *b = &spec->bodies[body];
  hk_field_par *par = hki_pool_alloc(spec->pool, sizeof *par);
  const char *name = hki_pool_printf(spec->pool, "%s.%s", group, b->name);
  int32_t at = 0;
  if (!par || !name || !HK_GROW(rd->ctx, spec->forces, rd->forces_cap, spec->nforces + 1))
    return false;
  if (!hki_names_add(spec->force_names, name, spec->nforces, &at)) {
    if (at < 0) return false; // out of memory
    hki_rd_error(rd, spec->forces[at].loc, "give the instance another name",
                 "force '%s' has the name of that of '%s' on body '%s'", name, group, b->name);
    return false;
  }
  *par = (hk_field_par){.mass = b->mass};
  memcpy(par->J, b->J, sizeof par->J);
  v3_copy(par->centre, spec->frame_at);
  hk_spec_force *f = &spec->forces[spec->nforces++];
  *f = (hk_spec_force){.name = name, .loc = loc, .ops = ops, .par = par, .joint = HK_NONE};
  f->body[0] = body, f->body[1] = HK_GROUND;
  for (int k = 0; k < 2; k++) {
    m3_identity(f->marker[k].R);
    v3_copy(f->marker[k].p, b->com);
  }
  for (int k = 0; k < HK_ELEMENT_NODES; k++) f->node[k] = HK_GROUND;
  memcpy(f->u, in->u, sizeof f->u);
  memcpy(f->u_signal, in->signal, sizeof f->u_signal);
  f->u_rate = in->rate;
  return true;
}

static void add_fields(hk_reader *rd, const hk_element_ops *ops, const char *group, hk_loc loc,
                       const inputs *in) {
  for (int32_t b = 0; b < rd->spec->nbodies && !hki_rd_enough(rd); b++)
    if (rd->spec->bodies[b].mass > 0.0 && !rd->spec->bodies[b].modal &&
        !add_field(rd, ops, group, loc, b, in))
      return;
}

/* --- gravity ---------------------------------------------------------------------------------- */

/* [x, y, z]: components that are numbers stay with the model, the others make forces */
static void read_uniform(hk_reader *rd, const hk_node *node) {
  inputs in;
  bool varies = false;
  no_inputs(&in);
  if (!read_three(rd, node, "gravity", 0, &in)) return;
  for (int k = 0; k < 3; k++) {
    varies = varies || in.signal[k] != HK_NONE;
    if (in.signal[k] == HK_NONE) rd->spec->gravity[k] = in.u[k];
    in.u[k] = 0.0;
  }
  if (varies) add_fields(rd, &hki_element_gravity, "gravity", node->loc, &in);
}

/* {centre: point, mu: value} */
static void read_central(hk_reader *rd, const hk_node *node) {
  static const hk_param *const tables[] = {hki_keys_gravity, NULL};
  const hk_node *centre = hki_node_get(node, "centre"), *mu = hki_node_get(node, "mu");
  inputs in;
  no_inputs(&in);
  if (!hki_rd_check_keys(rd, node, tables, "gravity", NULL) || !mu) return;
  if (!hki_rd_dynamic(rd, rd->scopes[0], mu, "gravity.mu", 1, &in.u[0], &in.signal[0])) return;
  if (centre && !hki_rd_point(rd, rd->scopes[0], centre, "centre", in.u + 1)) return;
  for (int32_t b = 0; b < rd->spec->nbodies; b++) {
    double r[3];
    v3_sub(r, rd->spec->bodies[b].com, in.u + 1);
    if (rd->spec->bodies[b].mass == 0.0 || v3_norm(r) > 0.0) continue;
    hki_rd_error(rd, node->loc, "draw it elsewhere",
                 "body '%s' is at the centre of gravity, where its force is infinite",
                 rd->spec->bodies[b].name);
    return;
  }
  add_fields(rd, &hki_element_attraction, "gravity", node->loc, &in);
}

/* --- the frame of reference ------------------------------------------------------------------- */

bool hki_rd_of_time(hk_reader *rd, int32_t i, int32_t depth) {
  const hk_spec_signal *s = &rd->signals[i].s;
  bool yes = rd->signals[i].of_time >= 0;
  if (depth > 100) return false;
  if (rd->signals[i].of_time) return yes;
  for (int32_t k = 0; yes && k < s->nreads; k++)
    yes = s->reads[k].kind != HK_READ_CHANNEL &&
          (s->reads[k].kind != HK_READ_SIGNAL || hki_rd_of_time(rd, s->reads[k].signal, depth + 1));
  rd->signals[i].of_time = yes ? 1 : -1;
  return yes;
}

/* a velocity and its rate: inputs first .. first + 5 */
static bool read_motion(hk_reader *rd, const hk_node *node, const char *key, int32_t first,
                        inputs *in) {
  const hk_node *v = hki_node_get(node, key);
  if (!v) return true;
  if (!read_three(rd, v, key, first, in)) return false;
  for (int32_t k = first; k < first + 3; k++) {
    if (in->signal[k] == HK_NONE) continue;
    if (!hki_rd_of_time(rd, in->signal[k], 0)) {
      hki_rd_error(rd, v->items[k - first]->loc, "the motion of the frame is given, not found",
                   "'%s' of the frame must be a function of time", key);
      return false;
    }
    in->signal[k + 3] = in->signal[k];
    in->rate |= 1u << (k + 3);
  }
  return true;
}

static void read_frame(hk_reader *rd, const hk_node *node) {
  static const hk_param *const tables[] = {hki_keys_moving, NULL};
  const hk_node *at = hki_node_get(node, "at");
  inputs in;
  no_inputs(&in);
  if (!hki_rd_check_keys(rd, node, tables, "the frame of the run", NULL)) return;
  if (at && !hki_rd_point(rd, rd->scopes[0], at, "at", rd->spec->frame_at)) return;
  if (!read_motion(rd, node, "angular_velocity", 0, &in) ||
      !read_motion(rd, node, "velocity", 6, &in))
    return;
  for (int k = 0; k < HK_ELEMENT_INPUTS; k++)
    rd->spec->moving = rd->spec->moving || in.u[k] != 0.0 || in.signal[k] != HK_NONE;
  if (!rd->spec->moving) return;
  add_fields(rd, &hki_element_frame, "frame", node->loc, &in);
}

void hki_rd_fields_read(hk_reader *rd) {
  const hk_node *gravity = hki_rd_first(rd, rd->scopes[0], "gravity");
  const hk_node *frame = hki_rd_run_key(rd, "frame");
  if (gravity) rd->spec->gravity_loc = gravity->loc;
  if (gravity && gravity->kind == HK_NODE_MAPPING)
    read_central(rd, gravity);
  else if (gravity)
    read_uniform(rd, gravity);
  if (frame) read_frame(rd, frame);
}
