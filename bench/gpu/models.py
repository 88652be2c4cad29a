# SPDX-License-Identifier: Apache-2.0
"""The models of bench/gpu that are no examples: rows of four-bars, and a humanoid as a tree of 27 degrees of freedom."""


def row(n):
    """n four-bars in a row, cranks and couplers of 1 m and 1 kg (IFToMM multibody benchmark A02)"""
    out = [f"hooke: 1\ntitle: {n} four-bars in a row\nplanar: xy\ngravity: [0, -9.81, 0]\nbodies:"]
    rod = "mass: 1, inertia: {zz: 1/12}"
    out += [f"  crank{i}: {{{rod}, com: [{i}, 0.5, 0]}}" for i in range(n + 1)]
    out += [f"  coupler{i}: {{{rod}, com: [{i + 0.5}, 1, 0]}}" for i in range(n)]
    out.append("joints:")
    for i in range(n + 1):
        out.append(f"  foot{i}: {{type: revolute, between: [ground, crank{i}], at: [{i}, 0, 0], axis: z}}")
    for i in range(n):
        out.append(f"  left{i}: {{type: revolute, between: [crank{i}, coupler{i}], at: [{i}, 1, 0], axis: z}}")
        out.append(f"  right{i}: {{type: revolute, between: [coupler{i}, crank{i + 1}], at: [{i + 1}, 1, 0], axis: z}}")
    # both sides of a pin: P and P_ are one point
    out.append("markers:")
    for i in range(n):
        out.append(f"  pin{i}: {{on: coupler{i}, at: [{i + 1}, 1, 0]}}\n  pin{i}_: {{on: crank{i + 1}, at: [{i + 1}, 1, 0]}}")
    out.append("start:\n  foot0: {rate: -1}")
    out.append('record: ["energy.total", "joint.foot0.angle", "marker.*.position.x", "marker.*.position.y"]')
    out.append("run: {time: 1, step: 0.01, formulation: global, integrator: trapezoidal}\n")
    return "\n".join(out)


# body, its parent, hinge axes, where they are, centre of mass, mass, inertia: a figure of 1.5 m and about 41 kg.
# Bodies between the hinges of one place carry the small inertia of their drives.
LIMBS = [("arm", "torso", "xy", (0, 0.2, 1.35), (0, 0.25, 1.2), 1.6, 0.012),
         ("forearm", "arm", "y", (0, 0.3, 1.08), (0, 0.3, 0.95), 1.2, 0.008),
         ("thigh", "pelvis", "xzy", (0, 0.1, 0.9), (0, 0.1, 0.72), 4.5, 0.06),
         ("shin", "thigh", "y", (0, 0.1, 0.53), (0, 0.1, 0.35), 2.6, 0.035),
         ("foot", "shin", "yx", (0, 0.1, 0.15), (0.06, 0.1, 0.1), 1.0, 0.004)]
SPINE = [("abdomen", "pelvis", "zy", (0, 0, 1.0), (0, 0, 1.05), 2.2, 0.012),
         ("torso", "abdomen", "x", (0, 0, 1.12), (0, 0, 1.3), 9.0, 0.16)]


def humanoid(integrator="rk4", step=0.005):
    """a floating pelvis and 21 hinges with springs and dampers, no contact"""
    bodies = ["  pelvis: {mass: 6.6, com: [0, 0, 0.92], inertia: {diagonal: [0.05, 0.04, 0.05]}}"]
    joints = ["  root: {type: free, between: [ground, pelvis], at: [0, 0, 0.92]}"]
    forces, start, record = [], [], ['"body.pelvis.position"', '"energy.total"']
    for name, parent, axes, at, com, mass, inertia in SPINE + LIMBS:
        for side in ("",) if (name, parent, axes, at, com, mass, inertia) in SPINE else ("_l", "_r"):
            sign = -1 if side == "_r" else 1
            place = f"[{at[0]}, {sign * at[1]}, {at[2]}]"
            before = parent + side if any(parent == limb[0] for limb in LIMBS) else parent
            for k, axis in enumerate(axes):
                last = k == len(axes) - 1
                body = name + side if last else f"{name}{side}_{axis}"
                centre = f"[{com[0]}, {sign * com[1]}, {com[2]}]" if last else place
                m, i = (mass, inertia) if last else (0.15, 0.002)
                bodies.append(f"  {body}: {{mass: {m}, com: {centre}, inertia: {{diagonal: [{i}, {i}, {i / 2}]}}}}")
                joint = f"{name}{side}_{axis}_hinge"
                joints.append(f"  {joint}: {{type: revolute, between: [{before}, {body}], at: {place}, axis: {axis}}}")
                forces.append(f"  {joint}_drive: {{type: joint_spring, joint: {joint}, stiffness: 20, damping: 1}}")
                start.append(f"  {joint}: {{angle: {0.05 * sign * (k + 1)}, rate: {0.3 * sign}}}")
                record.append(f'"joint.{joint}.angle"')
                before = body
    return "\n".join(["hooke: 1", "title: Humanoid, a tree of 27 degrees of freedom", "gravity: [0, 0, -9.81]", "bodies:", *bodies, "joints:", *joints,
                      "forces:", *forces, "start:", *start, f"record: [{', '.join(record)}]",
                      f"run: {{time: 1, step: {step}, formulation: recursive, integrator: {integrator}}}", ""])


def iltis(example):
    """the Iltis of an example on ramp and stairs, with both sides of its cut balls"""
    out = [f"hooke: 1\ntitle: Iltis\ninclude: [{example}]\nmarkers:"]
    for name, x, side in (("front_left", 0.970, 1), ("front_right", 0.970, -1), ("rear_left", -1.047, 1), ("rear_right", -1.047, -1)):
        at = f"[{x}, {side * 0.488}, 0.531]"
        out.append(f"  {name}: {{on: {name}.leaf_rod, at: {at}}}\n  {name}_: {{on: {name}.carrier, at: {at}}}")
    out.append('record: ["energy.total", "body.chassis.position.x", "body.chassis.position.z", "marker.front_*.position", "marker.rear_*.position"]\n')
    return "\n".join(out)


if __name__ == "__main__":
    import pathlib
    import sys
    folder, tree = pathlib.Path(sys.argv[1]), pathlib.Path(__file__).resolve().parents[2]
    (folder / "row2.yaml").write_text(row(2))
    (folder / "row10.yaml").write_text(row(10))
    (folder / "humanoid.yaml").write_text(humanoid())
    (folder / "iltis.yaml").write_text(iltis(tree / "examples/iltis/ramp-and-stairs.yaml"))
