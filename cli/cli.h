/* SPDX-License-Identifier: Apache-2.0
 *
 * cli.h: the `hooke` command. Parser, --help, manual pages and shell completions come from one
 * table of verbs and options (commands.c); each verb has a file of its own. The command uses only
 * the public headers, like any other program with the library.
 */
#ifndef HK_CLI_H
#define HK_CLI_H

#include <stdbool.h>
#include <stdio.h>

#include "hooke/hooke.h"

#if defined(__GNUC__)
#define CLI_PRINTF(f, a) __attribute__((format(printf, f, a)))
#else
#define CLI_PRINTF(f, a)
#endif

/* --- exit codes ------------------------------------------------------------------------------- */

enum {
  CLI_DONE = 0,
  CLI_UNFORESEEN = 1,
  CLI_USAGE = 2,
  CLI_MODEL = 3,
  CLI_ASSEMBLY = 4,
  CLI_FAILED = 5,
  CLI_FILE = 6,
  CLI_INTERRUPTED = 130
};

/* --- the table of verbs and options (commands.c) ---------------------------------------------- */

typedef enum cli_id {
  CLI_END = 0,
  CLI_HELP,
  CLI_VERSION,
  CLI_JSON,
  CLI_QUIET,
  CLI_NO_PROGRESS,
  CLI_FORMULATION,
  CLI_INTEGRATOR,
  CLI_STEP,
  CLI_TIME,
  CLI_SET,
  CLI_OUTPUT,
  CLI_OUTPUT_EVERY,
  CLI_COMPRESS,
  CLI_CHECKPOINT,
  CLI_EVERY,
  CLI_RESUME,
  CLI_STRICT,
  CLI_DRIFT_LIMIT,
  CLI_SUBSTEPS,
  CLI_TOLERANCE,
  CLI_MEMORY,
  CLI_OPTION,
  CLI_NAMES,
  CLI_SCHEMA,
  CLI_REFERENCE,
  CLI_CHANNEL,
  CLI_OUTPUT_CHANNEL,
  CLI_LARGEST_STEP,
  CLI_REPEAT,
  CLI_TABLE,
  CLI_FORMAT,
  CLI_REPORT,
  CLI_NO_BROWSER,
  CLI_PORT,
  CLI_MEGABYTES,
  CLI_PNG,
  CLI_SVG,
  CLI_MAN,
  CLI_MODULE,
  CLI_ALLOW_MODULES,
  CLI_AT,
  CLI_NUMBER,
  CLI_MATRICES,
  CLI_PERIOD,
  CLI_MULTIBLADE,
  CLI_FRAME,
  CLI_NEAR,
  CLI_BETWEEN,
  CLI_SPARSE,
  CLI_BODE,
  CLI_STEP_RESPONSE,
  CLI_INPUT,
  CLI_LOAD,
  CLI_TO,
  CLI_POINTS,
  CLI_NEAREST,
  CLI_VARY,
  CLI_TAKE,
  CLI_SAMPLES,
  CLI_SEED,
  CLI_JOBS,
  CLI_SWEEP_TABLE,
  CLI_PLOT,
  CLI_DATA,
  CLI_VARY_BOUNDS,
  CLI_ACTUATOR,
  CLI_MINIMISE,
  CLI_RANGE,
  CLI_RANGE_FROM,
  CLI_RANGE_TO,
  CLI_LOAD_FROM,
  CLI_BRANCH,
  CLI_SLOPE,
  CLI_INTERFACE,
  CLI_MODES,
  CLI_STIFFNESS,
  CLI_MATERIAL,
  CLI_LENGTH_UNIT,
  CLI_MASS,
  CLI_BODY_FILE,
  CLI_RT_PERIOD,
  CLI_RT_ITERATIONS,
  CLI_RT_PACE,
  CLI_RT_OVERRUN,
  CLI_RT_POLICY,
  CLI_RT_PRIORITY,
  CLI_RT_CPU,
  CLI_RT_UNLOCKED,
  CLI_FMI,
  CLI_FMU_FILE,
  CLI_FMU_INPUT,
  CLI_FMU_CHANNEL,
  CLI_FMU_PARAMETER,
  CLI_FMU_KIND,
  CLI_FMU_NAME,
  CLI_KEEP,
  CLI_NO_SOURCES,
  CLI_NO_BINARY,
  CLI_SINGLE,
  CLI_WARPS,
  CLI_NO_PACKS,
  CLI_MAIN,
  CLI_CONNECT,
  CLI_COMPILE,
  CLI_COMPILE_LIMIT,
  CLI_ALONE,
  CLI_KEEP_INPUTS,
  CLI_REPLAY,
  CLI_ALLOW_FMUS,
  CLI_LIVE,
  CLI_VIEW_LIVE,
  CLI_IDS
} cli_id;

/* the values that a shell offers for an argument or option */
typedef enum cli_complete {
  CLI_NOTHING,
  CLI_MODELS, /* model files */
  CLI_FILES,  /* any file */
  CLI_ON_OFF,
  CLI_KINDS,        /* kinds of the catalogue */
  CLI_ENTRIES,      /* names of the catalogue */
  CLI_FORMULATIONS, /* names of one kind */
  CLI_INTEGRATORS,
  CLI_SHELLS,
  CLI_VERBS,
  CLI_STATES, /* states to linearise at */
  CLI_PACES,
  CLI_OVERRUNS,
  CLI_POLICIES,
  CLI_FORMATS
} cli_complete;

typedef struct cli_option {
  cli_id id;
  const char *name; /* without the dashes */
  char letter;      /* short form, or 0 */
  const char *arg;  /* name of its value in --help; NULL: it takes none */
  cli_complete complete;
  const char *text;
} cli_option;

enum { CLI_ARGS = 16, CLI_VERB_OPTIONS = 40 };

typedef struct cli_given {
  cli_id id;
  const char *value;
} cli_given;

/* a parsed command line */
typedef struct cli_args {
  const struct cli_command *command;
  int npositional;
  const char *positional[CLI_ARGS];
  int ngiven;
  cli_given *given;     /* options in the order they were given */
  char *line;           /* the whole command line as text */
  char **argv, **owned; /* the arguments as parsed (reordered); the same list, for freeing */
  int nowned;
} cli_args;

typedef struct cli_command {
  const char *name;
  const char *args; /* "MODEL", "[KIND]" */
  int least, most;  /* number of arguments */
  cli_complete complete;
  const char *text;    /* one line */
  const char *detail;  /* further text of --help */
  const char *example; /* a command that works */
  cli_id options[CLI_VERB_OPTIONS];
  int (*run)(const cli_args *args);
} cli_command;

int cli_command_count(void);
const cli_command *cli_command_at(int i);
const cli_command *cli_command_find(const char *name);
const cli_option *cli_option_find(cli_id id);

/* an exit code and its meaning */
typedef struct cli_exit {
  int code;
  const char *text;
} cli_exit;
extern const cli_exit cli_exits[]; /* ends with a NULL text */

/* an environment variable and what it does */
typedef struct cli_variable {
  const char *name, *text;
} cli_variable;
extern const cli_variable cli_variables[]; /* ends with a NULL name */

int cli_run(const cli_args *args);
int cli_check(const cli_args *args);
int cli_compare(const cli_args *args);
int cli_modes(const cli_args *args);
int cli_kinematics(const cli_args *args);
/* a run in which every freedom is prescribed (run.c) */
int cli_run_prescribed(const cli_args *args);
int cli_realtime(const cli_args *args);
/* a run in real time, by these options besides those of every run (run.c) */
int cli_run_timed(const cli_args *args, hk_realtime_options *timed);
int cli_statics(const cli_args *args);
int cli_sweep(const cli_args *args);
int cli_fit(const cli_args *args);
int cli_reduce(const cli_args *args);
int cli_export(const cli_args *args);
int cli_inverse(const cli_args *args);
int cli_report(const cli_args *args);
int cli_view(const cli_args *args);
int cli_plot(const cli_args *args);
int cli_list(const cli_args *args);
int cli_info(const cli_args *args);
int cli_completion(const cli_args *args);
int cli_help(const cli_args *args);

/* --- parsing (options.c) ---------------------------------------------------------------------- */

/* parse argv for a verb; 0, or CLI_USAGE after a message */
int cli_parse(const cli_command *command, int argc, char **argv, cli_args *args);
void cli_args_free(cli_args *args);
/* The same with the model's section of the verb, `modes: {at: equilibrium}`, whose keys are options (those
 * of lists in the plural): what the command line does not give counts as given so. False after a message;
 * free it in both cases, before `args`. */
bool cli_settings(const cli_args *args, const hk_model *model, cli_args *out);
void cli_settings_free(cli_args *args);
bool cli_has(const cli_args *args, cli_id id);
const char *cli_value(const cli_args *args, cli_id id); /* the last one given, or NULL */
/* a positive finite number in *out, which stays as it is when the option is missing; false after a
 * message */
bool cli_positive(const cli_args *args, cli_id id, double *out);
/* the same for any finite number */
bool cli_number(const cli_args *args, cli_id id, double *out);
/* `name=value` pairs of a repeatable option: n strings NAME NUL VALUE; false after a message */
typedef struct cli_pair {
  char *name;
  const char *value;
} cli_pair;
bool cli_pairs(const cli_args *args, cli_id id, cli_pair **out, int *n);
void cli_pairs_free(cli_pair *pairs, int n);
/* --set and --option as the library takes them */
typedef struct cli_lists {
  cli_pair *set_pairs, *option_pairs;
  int nsets, noptions;
  hk_set *sets;
  hk_option *options;
} cli_lists;
bool cli_lists_read(const cli_args *args, cli_lists *out); /* false after a message */
void cli_lists_free(cli_lists *lists);
/* a file name: not empty, not '-'; false after a message */
bool cli_file(const char *what, const char *name);
/* the same, and it must end in one of two extensions (".png"; the second may be NULL), so that no
 * file of another kind is overwritten by mistake */
bool cli_file_of(const char *what, const char *name, const char *ext, const char *other);

/* --- modules (modules.c) ---------------------------------------------------------------------- */

/* loads what --module names and allows what --allow-modules does; CLI_DONE, or the exit code */
int cli_modules(const cli_args *args, hk_ctx *ctx);

/* --- help (help.c) ---------------------------------------------------------------------------- */

void cli_help_all(FILE *out);
void cli_help_verb(FILE *out, const cli_command *command);
int cli_version(bool json);

/* --- manual pages (man.c) --------------------------------------------------------------------- */

/* hooke-VERB(1), or hooke(1) when the verb is NULL, as roff source for man */
void cli_man(FILE *out, const cli_command *command);

/* --- the table for other programs (describe.c) ------------------------------------------------ */

/* verbs, options, exit codes and environment variables as one JSON value */
void cli_describe(FILE *out);

/* --- foreign text (text.c) -------------------------------------------------------------------- */

/* buffer size for a name, a title or a unit as shown */
enum { CLI_SHOWN = 4200 };
/* one line of valid UTF-8 without control characters in buf; returns buf */
char *cli_plain(const char *s, char *buf, size_t cap);
/* the same, cut to `most` characters with "..." at the end */
char *cli_short(const char *s, size_t most, char *buf, size_t cap);
/* true when the terminal shows UTF-8: unless the locale names another encoding */
bool cli_utf8(void);

/* --- messages (message.c) --------------------------------------------------------------------- */

/* true when the stream is a terminal and the environment does not forbid colours */
bool cli_colour(FILE *stream);
void cli_error(const char *hint, const char *fmt, ...) CLI_PRINTF(2, 3);
void cli_warning(const char *hint, const char *fmt, ...) CLI_PRINTF(2, 3);
void cli_note(const char *fmt, ...) CLI_PRINTF(1, 2);
/* says once that memory ran out; returns CLI_FILE */
int cli_no_memory(void);
/* the exit code of the program, when its verb ended with `code`: running out of memory decides, and
 * no failure goes without a message */
int cli_last_word(int code);
/* "did you mean 'x'?" for a wrong word; candidates one by one */
typedef struct cli_nearest {
  const char *word, *best;
} cli_nearest;
void cli_nearest_try(cli_nearest *n, const char *candidate);
/* the hint in buf, or `otherwise` when nothing is near */
const char *cli_did_you_mean(const cli_nearest *n, const char *otherwise, char *buf, size_t cap);

/* the printer of a context's messages as they arise */
typedef struct cli_messages {
  bool quiet;     /* print only errors */
  int errors;     /* printed so far */
  bool from_file; /* the first error has a place in a file */
} cli_messages;
void cli_on_message(const hk_message *m, void *user);
/* the first error of a context on one line, "" when there is none; free() it */
char *cli_first_error(const hk_ctx *ctx);
int cli_exit_code(hk_status status);
/* work of a verb in a context of its own, with its modules, its messages and Ctrl-C; the exit code */
int cli_in_context(const cli_args *args, cli_messages *messages,
                   int (*work)(void *job, hk_ctx *ctx), void *job);
/* the exit code of a verb that chooses methods; loaded: the model has been read */
int cli_method_code(const cli_messages *messages, hk_status status, bool loaded);
/* how an analysis has ended: that it was interrupted; a failure that no message has told yet */
void cli_say_end(const cli_messages *messages, hk_status status);
/* "TITLE (path)", or the path alone */
void cli_title(const hk_model *model, const char *path);

/* --- progress and interruption (progress.c) --------------------------------------------------- */

typedef struct cli_progress {
  bool on;      /* stderr is a terminal and the bar is wanted */
  double begin; /* wall seconds */
  bool shown;
} cli_progress;
/* ctx, which may be NULL: what goes on in it is shown while nothing else is */
void cli_progress_begin(cli_progress *p, const hk_ctx *ctx, bool wanted);
void cli_progress_show(const hk_progress *p, void *user);
/* the same for other work: the part done from 0 to 1, and a text */
void cli_progress_line(cli_progress *p, double part, const char *words);
void cli_progress_end(cli_progress *p);
/* erase the bar before other output */
void cli_progress_wipe(void);

/* from now on the first SIGINT or SIGTERM only sets the flag, the second one kills */
const volatile int *cli_catch_interrupts(void);

/* --- results (results.c) ---------------------------------------------------------------------- */

/* result files that are open at once */
typedef struct cli_results {
  hk_ctx *ctx;
  cli_messages messages;
  int n;
  hk_result *list[CLI_ARGS];
} cli_results;
/* open the first n arguments; 0, or an exit code after a message */
int cli_results_open(cli_results *r, const cli_args *args, int n);
void cli_results_close(cli_results *r);

/* --- a small web server (server.c) ------------------------------------------------------------ */

/* an answer: the body is freed with free() */
typedef struct cli_answer {
  const char *type;
  char *body;
  size_t len;
} cli_answer;

typedef struct cli_server {
  const char *page; /* the answer to the address itself, page_len bytes */
  size_t page_len;
  /* the answer to `detail?query` below the address; false: not found */
  bool (*detail)(const char *query, cli_answer *answer, void *user);
  void *user;
  int fd, port;
  char token[33];
} cli_server;

enum { CLI_REQUEST = 8192 }; /* most bytes of a request */

typedef struct cli_reply {
  char head[768];
  const char *body;
  size_t head_len, body_len;
  char *owned; /* the body, when it is to be freed */
} cli_reply;

/* the answer to a request of which `got` bytes have arrived (request.c); false: wait for more.
 * request[CLI_REQUEST + 1] is modified */
bool cli_server_answer(const cli_server *s, char *request, size_t got, cli_reply *reply);

/* the query of `detail?run=0&channel=3&from=1.5&to=2`; false: it is malformed */
typedef struct cli_detail {
  int run, channel;
  double from, to;
} cli_detail;
bool cli_detail_query(const char *query, cli_detail *d);

/* listen on 127.0.0.1 (port 0: any free one); 0, or an exit code after a message */
int cli_server_open(cli_server *s, int port);
/* answer until *stop becomes nonzero */
int cli_server_run(cli_server *s, const volatile int *stop);

/* --- JSON (json.c) ---------------------------------------------------------------------------- */

void cli_json_string(FILE *out, const char *s); /* NULL: null */
void cli_json_number(FILE *out, double x);      /* null when it is not finite */
/* `, "status": .., "message": ..}`: the end of an object */
void cli_json_status(FILE *out, hk_status status, const char *message);

/* flush stdout; an exit code when it could not be written */
int cli_finish(int code);

/* freedoms of an inverse problem and what fixes them, in lines and as keys of a JSON object (inverse.c) */
void cli_freedoms(const hk_inverse *a, int width);
void cli_freedoms_json(const hk_inverse *a);

#endif
