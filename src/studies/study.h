/* SPDX-License-Identifier: Apache-2.0
 *
 * study.h: a study file: which methods and steps `hooke compare` runs on which model, the measures
 * and their reference, and the bounds of a correct run. A study is YAML like a model and is known
 * by its key `study: 1`. Expressions are stored as texts with their places; they are compiled when
 * the model is loaded.
 */
#ifndef HK_STUDIES_STUDY_H
#define HK_STUDIES_STUDY_H

#include "base/params.h"

enum {
  HK_STUDY_LIST = 1000 /* entries of a list */
};

/* a text of the file and its place */
typedef struct hk_study_text {
  const char *text; /* NULL: not given */
  hk_loc loc;
} hk_study_text;

typedef struct hk_study_list {
  int32_t n;
  const char **texts;
  hk_loc *locs;
} hk_study_list;

/* name = value pairs: parameters of the model, options of methods */
typedef struct hk_study_pairs {
  int32_t n;
  const char **names, **values;
  hk_loc *locs;
} hk_study_pairs;

typedef struct hk_study_steps {
  int32_t n;
  double *h;
} hk_study_steps;

/* the kinds of measures; each gives one number per run */
typedef enum hk_measure_kind {
  HK_MEASURE_FINAL,    /* value at the end */
  HK_MEASURE_MAX,      /* largest value */
  HK_MEASURE_MIN,      /* smallest value */
  HK_MEASURE_EXTREME,  /* the value largest in magnitude, with its sign */
  HK_MEASURE_INTEGRAL, /* over time or another expression, trapezoidal rule between the steps */
  HK_MEASURE_RANGE,    /* largest error against the reference, % of the reference's range */
  HK_MEASURE_SUP,      /* Sup-Norm: largest error */
  HK_MEASURE_TWO,      /* 2-Norm: root of the sum of squared errors over the points compared */
  HK_MEASURE_RELATIVE, /* Rel-Err: 100 Sup-Norm over the reference's value where it occurs */
  HK_MEASURE_SUP_TIME, /* time at which the Sup-Norm occurs */
  HK_MEASURE_KINDS
} hk_measure_kind;

typedef struct hk_measure_info {
  const char *key;  /* in the file */
  const char *unit; /* NULL: that of the expression */
  bool reference;   /* needs a reference */
  const char *text;
} hk_measure_info;
extern const hk_measure_info hki_measure_infos[HK_MEASURE_KINDS];

typedef struct hk_study_measure {
  const char *name;
  hk_loc loc;
  hk_measure_kind kind;
  hk_study_text value;  /* expression, or a pattern of channels (errors: the worst of them) */
  hk_study_text over;   /* of an integral: its variable; NULL: time */
  hk_study_text column; /* of the reference file; NULL: the measure's value or name */
  double after, before; /* the part of the run that counts, s */
  const char *unit;
  bool hidden; /* no column in tables: for grades only */
} hk_study_measure;

typedef struct hk_study_channel {
  const char *name;
  hk_study_text value;
} hk_study_channel;

/* values of hk_study_bound.measure for the drift of the energy audit: in J, and in % of the energy
 * that moves (simulation/grade.c) */
enum { HK_BOUND_DRIFT = -1, HK_BOUND_DRIFT_PERCENT = -2 };

/* a bound on the magnitude of a measure; a grade is met when all its bounds are */
typedef struct hk_study_bound {
  int32_t measure; /* index of the measure, or HK_BOUND_... */
  double limit;
} hk_study_bound;

typedef struct hk_study_grade {
  const char *name, *text;
  int32_t nbounds;
  hk_study_bound *bounds;
} hk_study_grade;

/* a variant of all runs */
typedef struct hk_study_case {
  const char *name;
  hk_study_pairs sets, options;
  hk_study_list formulations, integrators; /* n = 0: the study's */
  hk_study_steps steps;
  double tolerance; /* 0: the study's */
} hk_study_case;

typedef struct hk_study_reference {
  bool given;
  hk_loc loc;
  hk_study_text file; /* path relative to the working directory; NULL: a fine run */
  const char *time;   /* column of time; NULL: the first */
  double step;        /* of the fine run; 0: a tenth of the smallest */
  hk_study_text formulation, integrator;
} hk_study_reference;

typedef struct hk_study_search {
  bool given;
  hk_study_steps steps; /* ascending; n = 0: from..to, 13 a decade */
  double from, to;      /* 0: not given */
  int32_t bisections;
} hk_study_search;

typedef struct hk_study {
  hk_ctx *ctx;
  hk_pool *pool;
  const char *path;
  const char *title, *text;
  hk_study_text model; /* path relative to the working directory */
  double time;         /* 0: the model's */
  double tolerance;    /* 0: the model's */
  int32_t repeat;
  hk_study_pairs sets, options;
  hk_study_list formulations, integrators; /* n = 0: all */
  hk_study_steps steps;                    /* n = 0: the model's */
  int32_t nchannels, nmeasures, ngrades, ncases;
  hk_study_channel *channels;
  hk_study_measure *measures;
  hk_study_grade *grades;
  hk_study_case *cases;
  hk_study_reference reference;
  hk_study_search search;
} hk_study;

/* an empty study, for a model without one; NULL when out of memory */
hk_study *hki_study_create(hk_ctx *ctx);
void hki_study_destroy(hk_study *study);

/* Read a file. When it is no study, *is_study is false and *out NULL; the model reader then reports
 * what is wrong if it is no model either. Errors are in the context. */
hk_status hki_study_read(hk_ctx *ctx, const char *path, bool *is_study, hk_study **out);

/* the tables of keys, for the catalogue and the schema: table i, NULL: no more */
typedef struct hk_study_table {
  const char *name, *text;
  const hk_param *keys;
} hk_study_table;
const hk_study_table *hki_study_table(int32_t i);

/* the JSON schema (draft 7) of study files */
void hki_study_schema(hk_text *out);

#endif
