/* SPDX-License-Identifier: Apache-2.0
 *
 * ways.h: in which states `hooke modes` looks at small motions: over a period, in multiblade coordinates, from
 * axes that turn.
 */
#ifndef HK_CLI_WAYS_H
#define HK_CLI_WAYS_H

#include "cli.h"

typedef struct cli_ways {
  const char *period, *frame, *integrator; /* as they were given; NULL: not */
  double seconds;                          /* of the period; NAN: `period` is a joint */
  hk_blades *rings;                        /* nrings */
  int nrings;
  double near, low, high; /* Hz; 0: not given */
  int number, sparse;     /* modes; as of hk_statespace_options */
  char **text;            /* nrings: their words, cut into names */
  const char ***names;    /* nrings: names of their joints */
} cli_ways;

/* --period, --multiblade, --frame, --integrator, --near, --sparse; false after a message. Free it in either case. */
bool cli_ways_read(const cli_args *args, cli_ways *w);
void cli_ways_free(cli_ways *w);
/* into the options, at the state of s; false after a message */
bool cli_ways_apply(const cli_ways *w, hk_sim *s, hk_statespace_options *opt);
/* of n modes in the order of their frequencies those nearest to w->near: from *first to *end - 1 */
void cli_ways_near(const cli_ways *w, const hk_statespace *x, int32_t *first, int32_t *end);
/* says so where an equilibrium is none at rest: a prescribed motion goes on */
void cli_ways_warn_of_motion(hk_sim *s);
/* what is doubtful about equations of a period or of a steady motion */
void cli_ways_warn(const hk_statespace *x);
/* the period, and whether the motion is stable, on standard output: as text, or behind other JSON keys */
void cli_ways_print(const hk_statespace *x, int32_t nmodes);
void cli_ways_json(const hk_statespace *x, int32_t nmodes);

#endif
