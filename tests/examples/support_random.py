# SPDX-License-Identifier: Apache-2.0
"""Random mechanisms for tests of grades: trees of bars about 0.5 m long with all common joints, some closed by a rod
or a ball joint, with springs, dampers, motors and motions, and a step at which they are well resolved."""
import random

JOINTS = (("revolute", 4), ("spherical", 2), ("universal", 1), ("prismatic", 2), ("cylindrical", 1), ("free", 1))


def vector(r, size):
    return [round(r.uniform(-size, size), 3) for _ in range(3)]


def bar(r, name, start, end, lines):
    mass, length = r.uniform(0.3, 3), sum((b - a) ** 2 for a, b in zip(start, end)) ** 0.5
    centre = [round((a + b) / 2, 4) for a, b in zip(start, end)]
    i = mass * length ** 2 / 12
    lines.append(f"  {name}: {{mass: {mass:.3f}, com: {centre}, inertia: {{diagonal: "
                 f"[{i * r.uniform(0.8, 1):.5f}, {i:.5f}, {i * r.uniform(0.8, 1):.5f}]}}}}")


def joint(r, name, first, second, at, lines, forces, start):
    kind = r.choices([k for k, _ in JOINTS], [w for _, w in JOINTS])[0]
    axis = r.choice("xyz")
    if kind == "free":  # held by springs alone
        forces.append(f"  hold_{name}: {{type: bushing, between: [{first}, {second}], at: {at}, "
                      f"stiffness: [300, 300, 300, 20, 20, 20], damping: [3, 3, 3, 0.2, 0.2, 0.2]}}")
        return
    keys = f"type: {kind}, between: [{first}, {second}], at: {at}"
    if kind == "universal":
        keys += ", axis: x, axis2: y"
    elif kind != "spherical":
        keys += f", axis: {axis}"
    lines.append(f"  {name}: {{{keys}}}")
    if kind == "prismatic":
        forces.append(f"  s_{name}: {{type: joint_spring, joint: {name}, stiffness: {r.uniform(200, 800):.1f}, "
                      f"damping: {r.choice([0, 5])}}}")
    if kind == "revolute":
        if r.random() < 0.6:
            start.append(f"  {name}: {{rate: {r.uniform(-3, 3):.2f}}}")
        if r.random() < 0.3:
            forces.append(f"  s_{name}: {{type: joint_spring, joint: {name}, stiffness: {r.uniform(1, 30):.1f}, "
                          f"damping: {r.choice([0, 0.1, 1])}}}")
        elif r.random() < 0.2:
            forces.append(f"  m_{name}: {{type: joint_torque, joint: {name}, value: {r.uniform(0.1, 2):.2f}*sin(4*t)}}")


def mechanism(seed):
    """the text of a model without `run:`"""
    r = random.Random(seed)
    n, ends = r.randint(1, 6), {"ground": [0.0, 0.0, 0.0]}
    bodies, joints, forces, start = [], [], [], []
    for i in range(n):
        name, first = f"b{i}", r.choice(list(ends))
        at = ends[first]
        end = [round(a + d, 3) for a, d in zip(at, vector(r, 0.5))]
        end[0] = round(end[0] + 0.2, 3)
        bar(r, name, at, end, bodies)
        joint(r, f"j{i}", first, name, at, joints, forces, start)
        ends[name] = end
    names = [k for k in ends if k != "ground"]
    if n > 1 and r.random() < 0.4:  # a rod closes a loop; start rates would be in its way
        start.clear()
        a, b = r.sample(names, 2)
        side = [[round(x + d, 3) for x, d in zip(ends[k], vector(r, 0.2))] for k in (a, b)]
        joints.append(f"  rod: {{type: distance, between: [{a}, {b}], ends: {side}}}")
    if r.random() < 0.5:
        a, b = (names + ["ground"])[-2:] if n > 1 else (names[0], "ground")
        far = [round(x + 0.7, 3) for x in ends[a]]
        forces.append(f"  spring: {{type: spring_damper, between: [{a}, {b}], ends: [{ends[a]}, {far}], "
                      f"stiffness: {r.uniform(20, 300):.1f}, damping: {r.uniform(0, 4):.2f}}}")
    text = "hooke: 1\ngravity: [0, 0, -9.81]\nbodies:\n" + "\n".join(bodies) + "\n"
    for key, lines in (("joints", joints), ("forces", forces), ("start", start)):
        text += f"{key}:\n" + "\n".join(lines) + "\n" if lines else ""
    return text
