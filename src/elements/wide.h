/* SPDX-License-Identifier: Apache-2.0
 *
 * wide.h: the interface of a wide element, a force element on any number of markers: beams, plates,
 * ropes over many points. As an element of two markers (element.h) it gets marker frames and gives
 * wrenches and exact tangents; it knows nothing of coordinates, models or formulations.
 *
 *   w             6 n numbers: wrench (moment, force) on the body of each marker, at the marker's
 *                 origin, world axes
 *   K = -dw/dxi   6 n x 6 n, with geometric terms
 *   C = -dw/dV    6 n x 6 n, by the twists of the markers
 *
 * Machines take the symmetric parts where their matrices are symmetric. An element whose forces have
 * a potential obeys K - K' = [m_i] in the rotations of marker i, m_i the moment on it, and nothing
 * anywhere else (a rotation of the marker turns the axes in which m_i is measured).
 *
 * Energy law, as for all elements:  w . V = supplied - dissipated - d(energy)/dt.
 *
 * eval is pure: same input, same output. It writes all numbers that `need` asks for.
 */
#ifndef HK_ELEMENTS_WIDE_H
#define HK_ELEMENTS_WIDE_H

#include "elements/element.h"

typedef struct hk_wide_out {
  double *w;     /* 6 n */
  double *K, *C; /* 6 n x 6 n, row-major; with HK_NEED_EXACT. C only where `damped` */
  bool damped;   /* C is not zero; set with HK_NEED_EXACT */
  double *y;     /* ny; with HK_NEED_OUTPUT */
  double energy, dissipated, supplied; /* J, W, W; with HK_NEED_ENERGY */
} hk_wide_out;

/* What an element has of inertia beside the masses of its bodies (a body with modes): forces M a + h, a
 * the accelerations of its markers, which are the centres of mass of their bodies. Angular
 * accelerations, moments and rotations are in the axes of the body, all else in those of the world. */
typedef struct hk_wide_inertia {
  double *F; /* 6 n: M a + h, with accelerations */
  double *M; /* 6 n x 6 n; with HK_NEED_MASS */
  /* dF by velocities, and by positions at fixed velocities and accelerations; with HK_NEED_EXACT */
  double *C, *K;
  double kinetic; /* J; with HK_NEED_ENERGY */
} hk_wide_inertia;

/* outputs of elements with a section, in its axes at the middle of the element: moment (N*m), force (N),
 * curvature (1/m) and strain, three numbers each, x along the element */
enum { HK_WIDE_SECTION = 12 };
/* outputs of what runs along a beam: part of its length, place (m), speed (m/s), force across and along the beam (N), force
 * on the body (N, world axes, three numbers) */
enum { HK_WIDE_SLIDER = 8 };

/* outputs of surfaces, means over the element in the axes of its section: of a membrane force (N/m) and strain, three numbers
 * each, xx, yy, xy; of a shell force, moment (N), shear force xz, yz (N/m), strain, curvature (1/m) */
enum { HK_WIDE_MEMBRANE = 6, HK_WIDE_SHELL = 14 };

/* how far a state lies outside of what an element of small deflections can tell */
typedef struct hk_wide_doubt {
  double
      left_out; /* stiffness by the rotation of the body that it leaves out, in parts of its own at this deflection */
  double turn;  /* the largest rotation that it takes for a small one, rad */
} hk_wide_doubt;

typedef struct hk_wide_ops {
  const char *name;
  const char *text, *source; /* one line for people; author, year and title of its equations */
  int32_t nmark;             /* markers; 0: as many as the instance says */
  int32_t ny;                /* one of those above tells what y is; 0: none */
  size_t par_size;
  /* its wrenches are forces alone, by the places and velocities of its markers: it may act on nodes
   * without rotation */
  bool pulls;
  double point[2]; /* beams: parts of the length at which the section is taken */
  /* an element with the same parameters and nearly the same equilibria that has a potential, where this one
   * has none: what a search goes down before Newton's method ends it; NULL: itself */
  const struct hk_wide_ops *downhill;
  /* completes the parameters at the drawing position; NULL: nothing to do */
  void (*prepare)(void *par, int32_t nmark, const hk_frame *m0);
  /* why a run cannot go on from a state, called at each accepted one; NULL: it can. NULL: it always can */
  const char *(*refuses)(int32_t nmark, const hk_frame *m);
  /* NULL: its theory knows no such limits. Called at each accepted state */
  void (*doubt)(const void *par, int32_t nmark, const hk_frame *m, hk_wide_doubt *out);
  /* of one that is not `pulls`: is this so at marker k? NULL: at none */
  bool (*pulls_at)(const void *par, int32_t k);
  /* in->m: frames of the markers; u: inputs of the force that it acts for, NULL where there is none.
   * Inputs follow time and events alone. Unknowns and states are not there */
  void (*eval)(const void *par, int32_t nmark, const hk_element_in *in, uint32_t need,
               hk_wide_out *out);
  /* NULL: none. acc (6 n): accelerations; NULL: F is not wanted */
  void (*inertia)(const void *par, int32_t nmark, const hk_frame *m, const double *acc,
                  uint32_t need, hk_wide_inertia *out);
} hk_wide_ops;

#endif
