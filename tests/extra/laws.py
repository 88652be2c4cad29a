#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Laws of every joint in whole models, for every line of the table and for the types that only tests have, in every
formulation: the tree's motion is that of the equations (`cut: always`), whichever body is named first; a mirrored
instance moves as the mirror image; in a plane a joint moves as it does in space."""
import sys
import unittest

from support_extra import FORMULATIONS, HEAD, JOINTS, RECORD, apart, ends, far, has_coordinates, keys, model, position, rotation, run, turns

# the same motion by different equations, steps of 2 ms over 0.3 s: worst found 5.4e-6 (universal, hybrid)
CLOSE = 2e-5


def fits(row, joint):
    """False: a formulation that cannot have a joint says so; any other failure is one"""
    if row["code"] == 0:
        return True
    if "these can: --formulation" not in row["error"]:
        raise AssertionError(f"{joint['name']}: {row['error']}")
    return False


def coordinates(row, joint):
    """channels of a joint's scalar coordinates and their rates; rotations by quaternion are the poses' own"""
    other = ("orientation", "angular", "force", "torque", "power")
    return [name for name in row if name.startswith(f"joint.{joint}.") and not any(word in name for word in other)]


class Laws(unittest.TestCase):
    def compare(self, joint, a, b, what):
        if not (fits(a, joint) and fits(b, joint)):
            return 0
        self.assertLess(far(a, b), CLOSE, what)
        for name in coordinates(a, "j"):
            self.assertAlmostEqual(a[name], b[name], 3 if "rate" in name or "velocity" in name else 4, f"{what}: {name}")
        return 1

    def test_tree_against_cut(self):
        for i, joint in enumerate(filter(has_coordinates, JOINTS)):
            for reverse in (False, True):
                for formulation in turns(i + reverse):
                    what = f"{joint['name']}, {'second' if reverse else 'first'} body moves, {formulation}"
                    tree = run(model(joint, reverse), formulation)
                    cut = run(model(joint, reverse, "cut: always"), formulation)
                    self.compare(joint, tree, cut, what)

    def test_tree_against_cut_between_bodies(self):
        """the same between two bodies, where the tree comes from the one or from the other"""
        def pair(joint, first, extra):
            names = "[arm, rod]" if first == "arm" else "[rod, arm]"
            return HEAD + f"""bodies:
  arm: {{mass: 1, com: [0.1, 0, 0.1], inertia: {{xx: 0.1, yy: 0.2, zz: 0.15}}}}
  rod: {{mass: 2, com: [0.5, 0.2, -0.3], inertia: {{xx: 0.3, yy: 0.5, zz: 0.4, xy: 0.03}}}}
joints:
  hang: {{type: spherical, between: [ground, arm], at: [0, 0, 0.3]}}
  j: {{type: {joint["name"]}, between: {names}, {ends(joint, [0.2, 0.1, 0.15])}, {keys(joint, [0.28, -0.6, 0.75])}, {extra}}}
forces:
  push: {{type: force, on: rod, at: [0.7, -0.2, 0.1], value: [3, 8*sin(5*t), 2]}}
""".replace(", ,", ",") + RECORD

        for i, joint in enumerate(filter(has_coordinates, JOINTS)):
            for first in ("arm", "rod"):
                for formulation in turns(i + (first == "arm")):
                    tree = run(pair(joint, first, "cut: auto"), formulation, step=1e-3)
                    cut = run(pair(joint, first, "cut: always"), formulation, step=1e-3)
                    self.compare(joint, tree, cut, f"{joint['name']}, {first} first, {formulation}")

    def test_mirror_image(self):
        for i, joint in enumerate(JOINTS):
            text = HEAD.replace("-1.1", "0") + f"""components:
  side:
    bodies:
      rod: {{mass: 2, com: [0.5, 0.2, -0.3], inertia: {{xx: 0.3, yy: 0.5, zz: 0.4, xy: 0.03}}}}
    joints:
      j: {{type: {joint["name"]}, between: [ground, rod], {ends(joint, [0.2, 0.1, 0.15])}, {keys(joint, [0.28, -0.6, 0.75])}}}
    forces:
      push: {{type: force, on: rod, at: [0.7, -0.2, 0.1], value: [3, 8*sin(5*t), 2]}}
instances:
  p: {{component: side}}
  q: {{component: side, mirror: y}}
""".replace(", }", "}") + RECORD
            for formulation in turns(i):
                row = run(text, formulation, check=False)
                if not fits(row, joint):
                    continue
                what = f"{joint['name']}, {formulation}"
                here, there = position(row, "p.rod"), position(row, "q.rod")
                self.assertLess(apart([here[0], -here[1], here[2]], there), 1e-8, what)
                turned = [x * (-1) ** ((i % 3 == 1) != (i // 3 == 1)) for i, x in enumerate(rotation(row, "p.rod"))]
                self.assertLess(apart(turned, rotation(row, "q.rod")), 1e-8, what)
                # scalar coordinates too, up to their sign
                for name in coordinates(row, "p.j"):
                    self.assertAlmostEqual(abs(row[name]), abs(row[name.replace("joint.p.", "joint.q.")]), 6, f"{what}: {name}")

    def test_planar_counterpart(self):
        """a motion that stays in the plane, with `planar:` and without"""
        for i, joint in enumerate(JOINTS):
            allowed = 0
            for k, (z, x) in enumerate((([0, 1, 0], [0.6, 0, 0.8]), ([0.6, 0, 0.8], [0, 1, 0]), ([0.6, 0, 0.8], [0.8, 0, -0.6]))):
                text = f"""hooke: 1
PLANE
gravity: [0.7, 0, -9.81]
bodies:
  rod: {{mass: 2, com: [0.5, 0.1, -0.3], inertia: {{xx: 0.3, yy: 0.5, zz: 0.4, xz: 0.03}}}}
joints:
  j: {{type: {joint["name"]}, between: [ground, rod], {ends(joint, [0.2, 0.1, 0.15])}, {keys(joint, z, x)}}}
forces:
  push: {{type: force, on: rod, at: [0.7, 0.1, 0.1], value: [3, 0, 8*sin(5*t)]}}
""".replace(", }", "}") + RECORD
                for formulation in turns(i + k):
                    flat = run(text.replace("PLANE", "planar: xz"), formulation, check=False)
                    if "in a planar model" in flat["error"] or "along 'normal'" in flat["error"]:
                        continue
                    allowed += self.compare(joint, flat, run(text.replace("PLANE", ""), formulation, check=False),
                                            f"{joint['name']} along {z}, {formulation}")
            if joint["name"] not in REFUSED:
                self.assertGreater(allowed, 0, f"{joint['name']} never moved in a plane")


# joints whose motion leaves every plane
REFUSED = ("screw", "universal", "constant_velocity")

if __name__ == "__main__":
    sys.exit(unittest.main())
