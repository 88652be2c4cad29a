/* SPDX-License-Identifier: Apache-2.0
 *
 * reader_streams.c: `streams:`, values that come from other programs or go to them while the model runs
 * (streams/stream.h), and signals that are a column of such a stream. They are inputs: without a connection
 * they keep their start value.
 */
#include "language/reader_streams.h"

#include <stdio.h>
#include <string.h>

#include "language/rows.h"

/* clang-format off */
const hk_param hki_keys_stream[] = {
    ROW("in", HK_P_ANY, 0, "where values come from: {udp: \"127.0.0.1:5000\"}, {tcp: ..}, {unix: path}, {shm: name} or stdin"),
    ROW("out", HK_P_ANY, 0, "where values go to: the same, or stdout"),
    {"columns", HK_P_INT, HK_P_POSITIVE, HK_P_HAND, 1, 1, HK_FRAME_MOST, "", NULL, "in: how many values a frame has"},
    ROW("values", HK_P_ANY, 0, "out: the channels to send"),
    ROW("names", HK_P_ANY, 0, "in: the names of the columns as the sender knows them; frames with others are refused; left out: any"),
    {"every", HK_P_INT, HK_P_POSITIVE, HK_P_HAND, 1, 1, 1000000, "", NULL, "steps from one frame to the next"},
    {"blocking", HK_P_BOOL, 0, HK_P_HAND, 0, 0, 0, "", NULL, "in: wait for the next frame, and use each of them; else the latest that is there. out: wait until it is taken; else it is lost where the other side is too slow"},
    CHOICE("hold", "last linear", "in: between frames the last value, or the line through the last two"),
    ROW("start", HK_P_REALS, 0, "in: values until the first frame; left out: 0"),
    ROW("listen", HK_P_BOOL, 0, "wait for the other side to connect; left out: in listens, out connects"),
    CHOICE("format", "frame raw", "frame: header and values (docs/streams.md); raw: values alone, float64, little-endian"),
    CHOICE("on_end", "fail hold stop", "in: when the other side ends the stream the run fails, goes on with the last values, or ends well"),
    REAL("timeout", HK_P_POSITIVE, 10, "s", "how long to wait for the other side, at the start and for a frame"),
    HK_PARAM_END};
const hk_param hki_keys_stream_way[] = {
    ROW("udp", HK_P_TEXT, 0, "host:port, datagrams"),
    ROW("tcp", HK_P_TEXT, 0, "host:port, a connection"),
    ROW("unix", HK_P_TEXT, 0, "path of a UNIX socket"),
    ROW("shm", HK_P_TEXT, 0, "name of POSIX shared memory: the latest frame"),
    HK_PARAM_END};
/* clang-format on */

/* the entry of this name in the section; NULL: there is none */
static const hk_node *find_entry(hk_reader *rd, const char *name) {
  const hk_node *all = hki_rd_first(rd, rd->scopes[0], "streams");
  return all && all->kind == HK_NODE_MAPPING && name ? hki_node_get(all, name) : NULL;
}

/* a whole number of a row; false after an error */
static bool read_whole(hk_reader *rd, const hk_node *node, const char *key, int32_t *out) {
  const hk_param *row = hki_params_find(hki_keys_stream, key);
  const hk_node *v = hki_node_get(node, key);
  double x = row->def;
  *out = (int32_t)row->def;
  if (!v) return true;
  if (!hki_rd_number(rd, rd->scopes[0], v, key, &x)) return false;
  if (x != (int32_t)x || x < row->min || x > row->max) {
    hki_rd_error(rd, v->loc, NULL, "'%s' must be a whole number from %.0f to %.0f", key, row->min,
                 row->max);
    return false;
  }
  *out = (int32_t)x;
  return true;
}

/* --- signals ---------------------------------------------------------------------------------------- */

/* value of a column at the start: of a number or a list */
static bool read_start(const hk_rd_signal_in *in, const hk_node *entry, int32_t column,
                       double *out) {
  const hk_node *v = hki_node_get(entry, "start");
  *out = 0.0;
  if (!v) return true;
  if (v->kind == HK_NODE_SEQUENCE && column > v->count) {
    hki_rd_error(in->rd, v->loc, NULL, "'start' has %d values, and '%s' is column %d",
                 (int)v->count, in->out->name, (int)column);
    return false;
  }
  return hki_rd_number(in->rd, in->rd->scopes[0],
                       v->kind == HK_NODE_SEQUENCE ? v->items[column - 1] : v, "start", out);
}

bool hki_rd_stream_signal(const hk_rd_signal_in *in) {
  hk_reader *rd = in->rd;
  const char *name = hki_node_text(in->value);
  const hk_node *entry = find_entry(rd, name), *at = hki_node_get(in->node, "column");
  double x = 1.0, start;
  int32_t columns, linear = 0;
  if (!entry || entry->kind != HK_NODE_MAPPING || !hki_node_get(entry, "in")) {
    hki_rd_error(rd, in->value->loc, "write it under 'streams:', with 'in'",
                 "signal '%s' reads stream '%.100s', and there is no such stream in", in->out->name,
                 name ? name : "");
    return false;
  }
  if (!read_whole(rd, entry, "columns", &columns)) return false;
  if (at && !hki_rd_number(rd, in->s, at, "column", &x)) return false;
  if (x != (int32_t)x || x < 1.0 || x > columns) {
    hki_rd_error(rd, at ? at->loc : in->node->loc, NULL,
                 "'column' must be a whole number from 1 to %d, the columns of stream '%s'",
                 (int)columns, name);
    return false;
  }
  const hk_node *hold = hki_node_get(entry, "hold");
  if (hold && !hki_rd_choice(rd, hold, "hold", "last linear", &linear)) return false;
  if (!read_start(in, entry, (int32_t)x, &start)) return false;
  if (!hki_rd_input_of(in, linear == 1, start)) return false;
  in->out->stream = hki_pool_strdup(rd->spec->pool, name);
  in->out->column = (int32_t)x;
  return in->out->stream != NULL;
}

/* --- streams ---------------------------------------------------------------------------------------- */

static bool read_way(hk_reader *rd, const hk_node *v, hk_stream_plan *p) {
  static const char *const words[] = {"udp", "tcp", "unix", "shm"};
  static const hk_param *const tables[] = {hki_keys_stream_way, NULL};
  const char *standard = p->out ? "stdout" : "stdin", *text = hki_node_text(v);
  int32_t found = 0;
  if (text && strcmp(text, standard) == 0) {
    p->way = HK_STREAM_STANDARD;
    return true;
  }
  if (v->kind != HK_NODE_MAPPING) {
    hki_rd_error(rd, v->loc, "for example {udp: \"127.0.0.1:5000\"}",
                 "'%s' of stream '%s' must be {udp: ..}, {tcp: ..}, {unix: ..}, {shm: ..} or %s",
                 p->out ? "out" : "in", p->name, standard);
    return false;
  }
  if (!hki_rd_check_keys(rd, v, tables, "stream", p->name)) return false;
  for (int32_t i = 0; i < HK_ARRAY_LEN(words); i++) {
    const hk_node *address = hki_node_get(v, words[i]);
    if (!address) continue;
    found++;
    p->way = (hk_stream_way)i;
    p->address = hki_rd_text(rd, address, words[i]);
    if (!p->address || !*p->address) return false;
    p->address = hki_pool_strdup(rd->spec->pool, p->address);
  }
  if (found != 1)
    hki_rd_error(rd, v->loc, NULL, "stream '%s' must have exactly one of udp, tcp, unix and shm",
                 p->name);
  return found == 1 && p->address;
}

/* a list of texts, or one; false after an error */
static bool read_names(hk_reader *rd, const hk_node *v, const char *key, int32_t *n,
                       const char ***out) {
  const bool many = v->kind == HK_NODE_SEQUENCE;
  *n = many ? v->count : 1;
  *out = hki_pool_alloc(rd->spec->pool, ((size_t)*n + 1) * sizeof **out);
  if (!*out) return false;
  if (*n < 1 || *n > HK_FRAME_MOST) {
    hki_rd_error(rd, v->loc, NULL, "'%s' must be a list of 1 to %d names", key, HK_FRAME_MOST);
    return false;
  }
  for (int32_t i = 0; i < *n; i++) {
    const char *text = hki_rd_text(rd, many ? v->items[i] : v, key);
    (*out)[i] = text ? hki_pool_strdup(rd->spec->pool, text) : NULL;
    if (!(*out)[i]) return false;
  }
  return true;
}

/* keys that belong to the other direction */
static bool refuse_others(hk_reader *rd, const hk_node *node, const hk_spec_stream *to) {
  static const char *const of_in[] = {"columns", "names", "hold", "start", "on_end"};
  static const char *const of_out[] = {"values"};
  const char *const *list = to->plan.out ? of_in : of_out;
  const int32_t n = to->plan.out ? HK_ARRAY_LEN(of_in) : HK_ARRAY_LEN(of_out);
  for (int32_t i = 0; i < n; i++) {
    const hk_node *v = hki_node_get(node, list[i]);
    if (!v) continue;
    hki_rd_error(rd, v->loc, NULL, "'%s' belongs to a stream %s, and '%s' goes %s", list[i],
                 to->plan.out ? "in" : "out", to->plan.name, to->plan.out ? "out" : "in");
    return false;
  }
  return true;
}

/* columns, names and values */
static bool read_content(hk_reader *rd, const hk_node *node, hk_spec_stream *to) {
  hk_stream_plan *p = &to->plan;
  const hk_node *names = hki_node_get(node, p->out ? "values" : "names");
  int32_t n = 0;
  if (!refuse_others(rd, node, to)) return false;
  if (!p->out && !read_whole(rd, node, "columns", &p->columns)) return false;
  if (!names && p->out) {
    hki_rd_error(rd, node->loc, "for example values: [joint.pin.angle]",
                 "stream '%s' goes out and has no 'values'", p->name);
    return false;
  }
  if (!names) return true;
  if (!read_names(rd, names, p->out ? "values" : "names", &n, &to->values)) return false;
  to->nvalues = n;
  to->values_loc = names->loc;
  p->layout = hki_frame_layout(n, to->values);
  if (p->out) p->columns = n;
  if (n == p->columns) return true;
  hki_rd_error(rd, names->loc, NULL, "stream '%s' has %d columns and %d names", p->name,
               (int)p->columns, (int)n);
  return false;
}

static bool read_stream(hk_reader *rd, const hk_entry *e, hk_spec_stream *to) {
  static const hk_param *const tables[] = {hki_keys_stream, NULL};
  const hk_node *node = e->value;
  hk_rd_scope *root = rd->scopes[0];
  *to = (hk_spec_stream){.loc = node->loc};
  hk_stream_plan *p = &to->plan;
  p->name = hki_pool_strdup(rd->spec->pool, e->key);
  if (!p->name || !hki_rd_check_keys(rd, node, tables, "stream", e->key)) return false;
  const hk_node *in = hki_node_get(node, "in"), *out = hki_node_get(node, "out");
  if (!in == !out) {
    hki_rd_error(rd, node->loc, NULL, "stream '%s' must have one of 'in' and 'out'", e->key);
    return false;
  }
  p->out = out != NULL;
  p->listen = !p->out;
  int32_t format = 0;
  const hk_node *v;
  bool ok = read_way(rd, in ? in : out, p) && read_content(rd, node, to) &&
            read_whole(rd, node, "every", &to->every);
  if (ok && (v = hki_node_get(node, "blocking")))
    ok = hki_rd_bool(rd, root, v, "blocking", &p->blocking);
  if (ok && (v = hki_node_get(node, "listen"))) ok = hki_rd_bool(rd, root, v, "listen", &p->listen);
  if (ok && (v = hki_node_get(node, "format")))
    ok = hki_rd_choice(rd, v, "format", "frame raw", &format);
  if (ok && (v = hki_node_get(node, "on_end")))
    ok = hki_rd_choice(rd, v, "on_end", "fail hold stop", &to->on_end);
  p->timeout = hki_params_find(hki_keys_stream, "timeout")->def;
  if (ok && (v = hki_node_get(node, "timeout")))
    ok = hki_rd_ranged(rd, root, v, hki_params_find(hki_keys_stream, "timeout"), &p->timeout);
  p->raw = format == 1;
  if (ok && p->way == HK_STREAM_UDP && p->listen == p->out) {
    hki_rd_error(rd, node->loc, "leave 'listen' out",
                 "datagrams: 'in' listens, and 'out' does not");
    return false;
  }
  return ok;
}

void hki_rd_streams_read(hk_reader *rd) {
  hk_spec *spec = rd->spec;
  const hk_node *all = hki_rd_first(rd, rd->scopes[0], "streams");
  char found[64];
  if (!all) return;
  if (all->kind != HK_NODE_MAPPING) {
    hki_rd_error(rd, all->loc, "for example {gust: {in: {udp: \"127.0.0.1:5000\"}}}",
                 "'streams' must be a mapping of names, found %s",
                 hki_node_describe(all, found, sizeof found));
    return;
  }
  spec->streams = hki_pool_alloc(spec->pool, ((size_t)all->count + 1) * sizeof *spec->streams);
  for (int32_t i = 0; spec->streams && i < all->count; i++)
    if (!hki_rd_is_private(all->entries[i].key))
      spec->nstreams += read_stream(rd, &all->entries[i], &spec->streams[spec->nstreams]);
}

void hki_rd_streams_finish(hk_reader *rd) {
  hk_channel c;
  char hint[300];
  if (hki_error_count(rd->ctx) > rd->errors0) return;
  for (int32_t i = 0; i < rd->spec->nstreams; i++) {
    const hk_spec_stream *s = &rd->spec->streams[i];
    for (int32_t k = 0; s->plan.out && k < s->nvalues; k++) {
      hint[0] = '\0';
      if (hki_channel_parse(rd->spec, s->values[k], &c, hint, sizeof hint)) continue;
      hki_rd_error(rd, s->values_loc, hint[0] ? hint : NULL,
                   "stream '%s' sends the unknown channel '%s'", s->plan.name, s->values[k]);
    }
  }
}
