/* SPDX-License-Identifier: Apache-2.0
 *
 * compare.h: shared by the files of `hooke compare`.
 *
 * A study (read from a file, or made from the options) is planned into pairs; each pair runs at
 * each step with substeps off. A probe is a study's expressions compiled for one model: it samples
 * a simulation after each step. Errors against a reference are taken from the sampled series when
 * the run is over.
 */
#ifndef HK_STUDIES_COMPARE_H
#define HK_STUDIES_COMPARE_H

#include "expr/expr.h"
#include "hooke/compare.h"
#include "studies/study.h"
#include "simulation/simulation.h"

/* samples of a run or of a reference: t[n] in s, x[n x width] row by row */
typedef struct hk_series {
  int32_t width;
  int64_t n, cap;
  double *t, *x;
} hk_series;

bool hki_series_add(hk_ctx *ctx, hk_series *s, double t, const double *row);
void hki_series_free(hk_ctx *ctx, hk_series *s);

typedef enum hk_probe_kind { HK_PROBE_TIME, HK_PROBE_CHANNEL, HK_PROBE_EXPR } hk_probe_kind;

typedef struct hk_probe_input {
  hk_probe_kind kind;
  bool start; /* the value at the start of the run */
  hk_channel channel;
  int32_t expr; /* HK_PROBE_EXPR: index among the study's channels */
} hk_probe_input;

/* one measure on one model: an expression, or channels that match a pattern */
typedef struct hk_probe_measure {
  int32_t expr; /* index in hk_probe.exprs; -1: channels */
  int32_t over; /* of an integral: index of its variable; -1: time */
  double x, s;  /* of an integral: integrand and variable at the sample before */
  int32_t nchannels;
  hk_channel *channels;
  int32_t at, width; /* its columns of the series: at ... at + width - 1; 0: no error measure */
} hk_probe_measure;

typedef struct hk_probe {
  hk_ctx *ctx;
  hk_pool *pool;
  const hk_study *study;
  const hk_spec *spec;
  int32_t ninputs, cap;
  hk_probe_input *inputs; /* inputs[ninputs]: read by the expressions */
  double *now;            /* now[ninputs]: their values at the sample */
  int32_t nexprs;         /* the study's channels, then those of the measures */
  hk_expr **exprs;
  double *values;                /* values[nexprs] at the sample */
  hk_probe_measure *measures;    /* measures[study->nmeasures] */
  bool reactions, accelerations; /* some input needs them */
  int32_t width;                 /* of the series */
  double *row;                   /* row[width]: the sample's row of the series */
} hk_probe;

/* compile a study's expressions for a model; errors go to `ctx` */
hk_status hki_probe_create(hk_ctx *ctx, const hk_study *study, const hk_model *m, hk_probe **out);
void hki_probe_destroy(hk_probe *p);
/* values at the accepted state; the first sample of a run gives the values of `start.` names */
hk_status hki_probe_sample(hk_probe *p, hk_sim *s, bool first);

/* a reference from a CSV file, columns as the measures name them */
hk_status hki_reference_read(hk_ctx *ctx, const hk_study *study, const hk_probe *p, hk_series *out);
/* the number of an error measure from the series of a run and of the reference */
double hki_measure_error(const hk_study_measure *m, const hk_probe_measure *pm,
                         const hk_series *run, const hk_series *ref);

/* one case of the study with its model */
typedef struct hk_compare_case {
  const char *name;
  const hk_study_case *c; /* NULL: the study itself */
  hk_model *m;
  hk_probe *probe;
  hk_series reference;
  bool borrowed; /* model, probe and reference belong to another case */
} hk_compare_case;

typedef struct hk_compare_entry {
  hk_compare_row row;
  int32_t icase;
  const hk_formulation_entry *fe;
  const hk_integrator_ops *ops;
  const char *json; /* JSON object of the run; NULL: it did not start */
} hk_compare_entry;

struct hk_comparison {
  hk_mark mark;
  hk_ctx *ctx;   /* the caller's: errors of files and names */
  hk_ctx *quiet; /* models and runs: a failure is a row, not a message */
  hk_pool *pool;
  hk_study *study;
  const hk_compare_options *opt;
  double time, shortest; /* s: end of the runs, 0: the model's; smallest step of the study */
  bool search;
  int32_t ncases;
  hk_compare_case *cases;
  int32_t nrows, rows_cap;
  hk_compare_entry **rows;
  int32_t nlargest, largest_cap;
  hk_compare_largest *largest;
  int32_t nnotes, notes_cap;
  const char **notes;
  int32_t done, total; /* runs, for the progress */
  bool interrupted;
  const char *written[4]; /* texts of hk_comparison_write by format; NULL: not made yet */
};

/* plan.c: reads the study, lets the caller's options replace its own, loads models and
 * references */
hk_status hki_compare_plan(hk_comparison *c, const char *path);
/* the methods of a case by number; NULL: no more */
const hk_formulation_entry *hki_compare_formulation(const hk_comparison *c, int32_t icase,
                                                    int32_t i);
const hk_integrator_ops *hki_compare_integrator(const hk_comparison *c, int32_t icase, int32_t i);

/* run.c */
/* NULL when a pair of methods can run a case, else why not (in buf) */
const char *hki_compare_refusal(const hk_comparison *c, int32_t icase,
                                const hk_formulation_entry *fe, const hk_integrator_ops *ops,
                                char *buf, size_t cap);
/* one run, a row of its own; NULL when out of memory */
hk_compare_entry *hki_compare_run(hk_comparison *c, int32_t icase, const hk_formulation_entry *fe,
                                  const hk_integrator_ops *ops, double step, bool search);
/* the reference run of a case */
hk_status hki_compare_fine(hk_comparison *c, int32_t icase);
/* false: none of the case's options is one of this pair's; *name: the first of them */
bool hki_compare_applies(const hk_comparison *c, int32_t icase, const hk_formulation_entry *fe,
                         const hk_integrator_ops *ops, const char **name);
bool hki_compare_stopped(hk_comparison *c);

/* search.c */
void hki_compare_search(hk_comparison *c);
/* which bound of a grade a row breaks, in words; "" when it meets the grade */
const char *hki_compare_why(hk_comparison *c, const hk_compare_entry *e, int32_t grade);

/* write.c, json.c */
void hki_compare_write_csv(const hk_comparison *c, hk_text *t);
void hki_compare_write_json(const hk_comparison *c, hk_text *t);

#endif
