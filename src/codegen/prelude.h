/* SPDX-License-Identifier: Apache-2.0
 *
 * prelude.h: the parts of exported programs that are the same for every model; $ stands for the program's name.
 */
#ifndef HK_CODEGEN_PRELUDE_H
#define HK_CODEGEN_PRELUDE_H

extern const char hki_prelude_header[], hki_prelude_source[], hki_prelude_iteration[],
    hki_prelude_functions[], hki_prelude_parameters[], hki_prelude_no_parameters[],
    hki_prelude_pairs[], hki_prelude_fours[], hki_prelude_packs_functions[],
    hki_prelude_fours_functions[], hki_prelude_fours_end[];
/* for graphics processors */
extern const char hki_prelude_device_head[], hki_prelude_device_single[],
    hki_prelude_device_double[], hki_prelude_device_world[], hki_prelude_device_kernels[],
    hki_prelude_device_step[], hki_prelude_device_advance[], hki_prelude_warps[],
    hki_prelude_warps_words[], hki_prelude_warps_loop[], hki_prelude_warps_advance[];
/* the same for several worlds at once */
extern const char hki_prelude_lanes[], hki_prelude_lanes_vectors[], hki_prelude_lanes_functions[],
    hki_prelude_lanes_iteration[], hki_prelude_lanes_table[];

#endif
