/* SPDX-License-Identifier: Apache-2.0
 *
 * gmsh.c: the same mesh in both versions of the format, groups with and without names, and files that are refused.
 */
#include "formats/gmsh.h"

#include <check.h>
#include <stdio.h>
#include <string.h>

#include "formats/support_pool.h"

static const char old_mesh[] =
    "$MeshFormat\n2.2 0 8\n$EndMeshFormat\n"
    "$PhysicalNames\n2\n2 5 \"left end\"\n3 1 \"all\"\n$EndPhysicalNames\n"
    "$Comments\nanything goes\n$EndComments\n"
    "$Nodes\n5\n10 0 0 0\n11 1 0 0\n12 0 1 0\n14 0 0 1\n13 1 1 1\n$EndNodes\n"
    "$Elements\n4\n1 2 2 5 1 10 11 12\n2 2 2 7 2 11 12 14\n3 4 2 1 1 10 11 12 14\n"
    "4 4 2 1 1 11 12 14 13\n$EndElements\n";
static const char new_mesh[] =
    "$MeshFormat\n4.1 0 8\n$EndMeshFormat\n"
    "$PhysicalNames\n2\n2 5 \"left end\"\n3 1 \"all\"\n$EndPhysicalNames\n"
    "$Entities\n1 0 2 1\n9 0 0 0 0\n3 0 0 0 1 1 1 1 5 0\n4 0 0 0 1 1 1 1 7 2 1 -2\n1 0 0 0 1 1 1 1 "
    "1 2 3 4\n"
    "$EndEntities\n"
    "$Nodes\n2 5 10 14\n2 3 0 3\n10\n11\n12\n0 0 0\n1 0 0\n0 1 0\n3 1 1 2\n14\n13\n0 0 1 5 5 5\n1 "
    "1 1 6 6 6\n"
    "$EndNodes\n"
    "$Elements\n3 4 1 4\n2 3 2 1\n1 10 11 12\n2 4 2 1\n2 11 12 14\n3 1 4 2\n3 10 11 12 14\n4 11 12 "
    "14 13\n"
    "$EndElements\n";

START_TEST(both) {
  hk_gmsh m;
  const char *text = _i ? new_mesh : old_mesh;
  ck_assert_int_eq(hki_gmsh_parse(ctx, pool, -1, text, strlen(text), &m), HK_OK);
  ck_assert_int_eq(m.nnode, 5);
  ck_assert_int_eq(m.nelement, 4);
  ck_assert_int_eq(m.label[3], 13);
  ck_assert_double_eq(m.x[9] + m.x[10] + m.x[11], 3.0);
  ck_assert_double_eq(m.x[14], 1.0);
  ck_assert_int_eq(m.ngroup, 3);
  ck_assert_str_eq(m.group[0].name, "left end");
  ck_assert_str_eq(m.group[1].name, "all");
  ck_assert_str_eq(m.group[2].name, "7");
  ck_assert_int_eq(m.group[0].n, 1);
  ck_assert_int_eq(m.group[0].element[0], 0);
  ck_assert_int_eq(m.group[1].n, 2);
  ck_assert_int_eq(m.group[1].element[1], 3);
  ck_assert_int_eq(m.group[2].element[0], 1);
  const hk_gmsh_element *e = &m.element[3];
  ck_assert_int_eq(e->label, 4);
  ck_assert_int_eq(e->type->dim, 3);
  static const int32_t node[] = {1, 2, 4, 3};
  for (int i = 0; i < 4; i++) ck_assert_int_eq(m.node[e->at + i], node[i]);
}
END_TEST

/* one word of the mesh becomes another */
static void refused(const char *text, const char *from, const char *to, const char *words) {
  char changed[2000];
  hk_gmsh m;
  const char *at = strstr(text, from);
  ck_assert_ptr_nonnull(at);
  snprintf(changed, sizeof changed, "%.*s%s%s", (int)(at - text), text, to, at + strlen(from));
  const int32_t before = hk_ctx_message_count(ctx);
  ck_assert_int_eq(hki_gmsh_parse(ctx, pool, -1, changed, strlen(changed), &m), HK_E_FILE);
  const hk_message *said = hk_ctx_message(ctx, before);
  ck_assert_ptr_nonnull(said);
  ck_assert_msg(strstr(said->text, words) != NULL, "said: %s", said->text);
}

START_TEST(refusals) {
  refused(old_mesh, "2.2 0", "2.2 1", "binary");
  refused(old_mesh, "2.2 0", "3 0", "versions 2.2 and 4.1 are read, this file has 3");
  refused(old_mesh, "$MeshFormat", "solid", "not a mesh of gmsh");
  refused(old_mesh, "14 0 0 1", "14 0 x 1", "'x' is not a number");
  refused(old_mesh, "14 0 0 1", "13 0 0 1", "node 13 stands twice");
  refused(old_mesh, "10 11 12 14", "10 11 12 99", "no node 99");
  refused(old_mesh, "3 4 2 1", "3 44 2 1", "elements of type 44");
  refused(old_mesh, "$Nodes\n5", "$Nodes\n4", "expected $EndNodes");
  refused(old_mesh, "$Nodes\n5", "$Nodes\n6", "is not a number");
  refused(old_mesh, "$Nodes\n5", "$Nodes\n-1", "expected a whole number, found -1");
  refused(old_mesh, "\"all\"", "all", "a physical name is");
  refused(new_mesh, "$EndElements", "", "expected $EndElements");
  refused(new_mesh, new_mesh, "", "the file is empty");
  refused(new_mesh, "3 4 1 4", "9 4 1 4", "is not a number");
}
END_TEST

Suite *suite_gmsh(void);
Suite *suite_gmsh(void) {
  Suite *s = suite_create("gmsh");
  TCase *c = tcase_create("gmsh");
  tcase_add_checked_fixture(c, setup, teardown);
  tcase_add_loop_test(c, both, 0, 2);
  tcase_add_test(c, refusals);
  suite_add_tcase(s, c);
  return s;
}
