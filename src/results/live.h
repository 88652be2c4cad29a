/* SPDX-License-Identifier: Apache-2.0
 *
 * live.h: a result that is followed while it is written. The file is a head of eight bytes, "HKLIVE1\n", and
 * records: uint32 kind, uint32 bytes, the bytes; numbers as the machine has them, for it is read beside the
 * writer. It is not a result to keep: rows are thinned out.
 *
 *   1  what it is: uint32 texts, channels, bodies, loads; then texts that end with 0: key and value each, then
 *      name, unit and meaning of each channel
 *   2  the scene: int32 points, faces; float points; int32 faces; JSON
 *   3  a row: float64 time and values
 *   4  a frame: float64 time, float poses and loads
 *   5  the end: the summary
 */
#ifndef HK_RESULTS_LIVE_H
#define HK_RESULTS_LIVE_H

#include "results/results.h"

enum { HK_LIVE_META = 1, HK_LIVE_SCENE, HK_LIVE_ROW, HK_LIVE_FRAME, HK_LIVE_END };
#define HK_LIVE_HEAD "HKLIVE1\n"

/* the writer; its scene is put before the first row */
hk_status hki_results_live(hk_ctx *ctx, const char *path, const hk_results_meta *meta,
                           hk_results **out);

#endif
