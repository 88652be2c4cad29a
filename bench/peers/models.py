# SPDX-License-Identifier: Apache-2.0
"""The models of bench/peers, for Hooke and for others, from one description each. Data of the Iltis: examples/iltis/corner.yaml."""
import math


AXES = {"x": (1, 0, 0), "y": (0, 1, 0), "z": (0, 0, 1)}


def chain(n):
    """rods of 1 kg and 0.5 m, one after the other from the origin, their hinges alternately about y and z. A link: its parent (-1: the ground), the
    hinge's place there, axis, angle and rate at the start; mass, centre of mass from the hinge and inertia about it"""
    return [dict(parent=i - 1, at=(0.5 if i else 0.0, 0.0, 0.0), axis="yz"[i % 2], length=0.5, mass=1.0, com=(0.25, 0.0, 0.0), inertia=(0.01, 0.05, 0.06),
                 angle=0.3 - 0.1 * (i % 5), rate=0.5 - 0.2 * (i % 3)) for i in range(n)]


def humanoid():
    """a free trunk, axis None, with 24 hinges in five limbs: that of bench/macro/trees.c, bent and moving"""
    links = [dict(parent=-1, at=(0.0, 0.0, 0.0), axis=None, mass=1.0, com=(0.0, 0.0, 0.3), inertia=(0.01, 0.02, 0.03), angle=0.0, rate=0.0)]
    for n, y, z, dz in ((6, 0.1, 0.0, -0.15), (6, -0.1, 0.0, -0.15), (5, 0.2, 0.5, -0.12), (5, -0.2, 0.5, -0.12), (2, 0.0, 0.6, 0.1)):
        for k in range(n):
            i = len(links)
            links.append(dict(parent=i - 1 if k else 0, at=(0.0, 0.0, dz) if k else (0.0, y, z), axis="xyz"[k % 3], mass=1.0, com=(0.01, 0.0, 0.5 * dz),
                              inertia=(0.01, 0.02, 0.03), angle=0.3 - 0.1 * (i % 5), rate=0.5 - 0.2 * (i % 3)))
    return links


def tree(name):
    """of the number of links of a chain, or "humanoid" """
    return humanoid() if name == "humanoid" else chain(int(name))


def hinges(links):
    return [i for i, k in enumerate(links) if k["axis"]]


def tree_yaml(links):
    """drawn stretched, as every hinge has its angle from there"""
    place, bodies, joints, start, record = [], [], [], [], []
    for i, k in enumerate(links):
        base = place[k["parent"]] if k["parent"] >= 0 else (0.0, 0.0, 0.0)
        place.append(tuple(a + b for a, b in zip(base, k["at"])))
        com = [a + b for a, b in zip(place[i], k["com"])]
        bodies.append(f"  b{i}: {{mass: {k['mass']}, com: {com}, inertia: {{diagonal: {list(k['inertia'])}}}}}")
        if not k["axis"]:
            continue
        before = f"b{k['parent']}" if k["parent"] >= 0 else "ground"
        joints.append(f"  j{i}: {{type: revolute, between: [{before}, b{i}], at: {list(place[i])}, axis: {k['axis']}}}")
        start.append(f"  j{i}: {{angle: {k['angle']}, rate: {k['rate']}}}")
        record.append(f'"joint.j{i}.angle"')
    free = [f"  b{i}: {{velocity: [0, 0, 0], angular_velocity: [0, 0, 0]}}"
            for i, k in enumerate(links) if not k["axis"]]
    return "\n".join(["hooke: 1", "gravity: [0, 0, -9.81]", "bodies:", *bodies, "joints:", *joints, "start:", *start, *free,
                      f"record: [{', '.join(record)}]", "run: {time: 1, step: 0.001, formulation: recursive, integrator: rk4}", ""])


def tree_mjcf(links, integrator="RK4"):
    def body(i):
        k = links[i]
        joint = f'<joint type="hinge" axis="{" ".join(str(x) for x in AXES[k["axis"]])}"/>' if k["axis"] else "<freejoint/>"
        own = (f'<body pos="{" ".join(str(x) for x in k["at"])}">{joint}<inertial pos="{" ".join(str(x) for x in k["com"])}" mass="{k["mass"]}" '
               f'diaginertia="{" ".join(str(x) for x in k["inertia"])}"/>')
        children = [j for j, c in enumerate(links) if c["parent"] == i]
        return [own, *(children or []), None]  # None: the end
    # not by recursion: chains are deep
    text, todo = [], [i for i, k in enumerate(links) if k["parent"] < 0]
    while todo:
        x = todo.pop()
        if x is None:
            text.append("</body>")
            continue
        own = body(x)
        text.append(own[0])
        todo += [None, *reversed(own[1:-1])]
    angles = " ".join(str(k["angle"]) if k["axis"] else "0 0 0 1 0 0 0" for k in links)
    rates = " ".join(str(k["rate"]) if k["axis"] else "0 0 0 0 0 0" for k in links)
    return (f'<mujoco><compiler balanceinertia="false"/><option integrator="{integrator}" gravity="0 0 -9.81"><flag contact="disable"/></option><worldbody>'
            f'{"".join(text)}</worldbody><keyframe><key name="start" qpos="{angles}" qvel="{rates}"/></keyframe></mujoco>')


def resting(n):
    """the same chain, which starts at rest: the rates of a thousand links add up"""
    return [dict(k, rate=0.0) for k in chain(n)]


def chain_angles(links, frames):
    """angles of hinges from the rotation matrices of the links"""
    found, before = [], ((1, 0, 0), (0, 1, 0), (0, 0, 1))
    for k, R in zip(links, frames):
        def product(i, j, P=before, R=R):
            return sum(P[n][i] * R[n][j] for n in range(3))
        found.append(math.atan2(product(0, 2), product(0, 0)) if k["axis"] == "y" else math.atan2(product(1, 0), product(0, 0)))
        before = R
    return found


def bars_yaml(n):
    """n four-bars in a row, as examples/double-four-bar.yaml (n = 2): cranks of length 1 at x = 0 .. n, a coupler from each to the next"""
    bodies, joints = [], []
    for i in range(n + 1):
        bodies.append(f"  crank{i}: {{mass: 1, com: [{i}, 0.5, 0], inertia: {{zz: 1/12}}}}")
        joints.append(f"  pin{i}: {{type: revolute, between: [ground, crank{i}], at: [{i}, 0, 0], axis: z}}")
        if i < n:
            bodies.append(f"  rod{i}: {{mass: 1, com: [{i + 0.5}, 1, 0], inertia: {{zz: 1/12}}}}")
            joints.append(f"  knee{i}: {{type: revolute, between: [crank{i}, rod{i}], at: [{i}, 1, 0], axis: z}}")
            joints.append(f"  loop{i}: {{type: revolute, between: [rod{i}, crank{i + 1}], at: [{i + 1}, 1, 0], axis: z}}")
    return "\n".join(["hooke: 1", "planar: xy", "gravity: [0, -9.81, 0]", "bodies:", *bodies, "joints:", *joints,
                      "start: {pin0: {rate: -1}}", 'record: ["joint.pin*.angle", "joint.pin*.rate"]',
                      "run: {time: 10, step: 0.01, formulation: hybrid, integrator: trapezoidal}", ""])


def bars_mjcf(n, step, integrator):
    text, loops = [], []
    for i in range(n + 1):
        rod = (f'<body name="rod{i}" pos="0 1 0"><joint type="hinge" axis="0 0 1"/><inertial pos="0.5 0 0" mass="1" diaginertia="0.01 0.083 {1 / 12!r}"/>'
               '</body>') if i < n else ""
        text.append(f'<body name="crank{i}" pos="{i} 0 0"><joint type="hinge" axis="0 0 1"/>'
                    f'<inertial pos="0 0.5 0" mass="1" diaginertia="0.083 0.01 {1 / 12!r}"/>{rod}</body>')
        if i < n:
            loops.append(f'<connect body1="rod{i}" body2="crank{i + 1}" anchor="1 0 0" solref="{2 * step} 1" solimp="0.9999 0.9999 0.001"/>')
    rates = " ".join("-1 1" if i < n else "-1" for i in range(n + 1))
    zeros = " ".join("0" for _ in range(2 * n + 1))
    return (f'<mujoco><compiler balanceinertia="false"/><option integrator="{integrator}" timestep="{step}" gravity="0 -9.81 0"><flag contact="disable"/>'
            f'</option><worldbody>{"".join(text)}</worldbody><equality>{"".join(loops)}</equality>'
            f'<keyframe><key name="start" qpos="{zeros}" qvel="{rates}"/></keyframe></mujoco>')


def tree_pinocchio(pin, links):
    """the model, and positions and velocities at the start"""
    import numpy as np
    model = pin.Model()
    made = []
    kinds = {"x": pin.JointModelRX, "y": pin.JointModelRY, "z": pin.JointModelRZ, None: pin.JointModelFreeFlyer}
    for i, k in enumerate(links):
        parent = made[k["parent"]] if k["parent"] >= 0 else 0
        made.append(model.addJoint(parent, kinds[k["axis"]](), pin.SE3(np.eye(3), np.array(k["at"])), f"j{i}"))
        model.appendBodyToJoint(made[i], pin.Inertia(k["mass"], np.array(k["com"]), np.diag(k["inertia"])), pin.SE3.Identity())
    model.gravity.linear = np.array([0.0, 0.0, -9.81])
    q, v = pin.neutral(model), np.zeros(model.nv)
    for j, k in zip(made, links):
        if k["axis"]:
            q[model.idx_qs[j]], v[model.idx_vs[j]] = k["angle"], k["rate"]
    return model, q, v


def iltis_mjcf(step):
    """26 velocities, 12 rows of connections and 4 lengths; the ends of the leaf springs have 0.05 kg in the place of none"""
    def place(p, c):
        sx, sy = (1 if c < 2 else -1), (1 if c % 2 == 0 else -1)
        return (sx * p[0] + (0.970 if c < 2 else -1.047), sy * p[1], p[2])

    def text(p):
        return " ".join(repr(round(x, 12)) for x in p)

    def minus(p, q):
        return tuple(a - b for a, b in zip(p, q))

    P = dict(arm_pivot=(0, 0.259, 0.302), arm_ball=(0, 0.572, 0.229), leaf_pivot=(0, 0.1585, 0.600), leaf_ball=(0, 0.488, 0.531),
             leaf_seat=(0, 0.488, 0.607), wheel=(0, 0.615, 0.356), shock_up=(0.075, 0.297, 0.632), shock_low=(0.075, 0.500, 0.241),
             tie_in=(-0.140, 0.070, 0.600), tie_out=(-0.140, 0.448, 0.531))
    com = (0, 0, 0.57)
    size = math.hypot(0.073, 0.313)
    y, z = (0.313 / size, -0.073 / size), (0.073 / size, 0.313 / size)
    corners, ties, loops = [], [], []
    for c in range(4):
        p = {k: place(v, c) for k, v in P.items()}
        sy = 1 if c % 2 == 0 else -1
        ixx, iy, iz = 0.052099, 0.023235, 0.068864
        iyy, izz = iy * y[0] ** 2 + iz * z[0] ** 2, iy * y[1] ** 2 + iz * z[1] ** 2
        iyz = sy * (iy * y[0] * y[1] + iz * z[0] * z[1])
        arm_com = place((0, (0.259 + 0.572) / 2, (0.302 + 0.229) / 2), c)
        corners.append(f'''
<site name="up{c}" pos="{text(minus(p['shock_up'], com))}"/><site name="seat{c}" pos="{text(minus(p['leaf_seat'], com))}"/>
<site name="in{c}" pos="{text(minus(p['tie_in'], com))}"/>
<body name="arm{c}" pos="{text(minus(p['arm_pivot'], com))}"><joint type="hinge" axis="1 0 0"/>
 <inertial pos="{text(minus(arm_com, p['arm_pivot']))}" mass="6" fullinertia="{ixx} {iyy} {izz} 0 0 {iyz}"/>
 <site name="low{c}" pos="{text(minus(p['shock_low'], p['arm_pivot']))}"/>
 <body name="carrier{c}" pos="{text(minus(p['arm_ball'], p['arm_pivot']))}"><joint type="ball"/>
  <inertial pos="{text(minus(p['wheel'], p['arm_ball']))}" mass="57.35" diaginertia="1.2402 1.908 1.2402"/>
  <site name="centre{c}" pos="{text(minus(p['wheel'], p['arm_ball']))}"/>
  <site name="out{c}" pos="{text(minus(p['tie_out'], p['arm_ball']))}"/>
 </body>
</body>
<body name="rod{c}" pos="{text(minus(p['leaf_pivot'], com))}"><joint type="hinge" axis="1 0 0"/>
 <inertial pos="{text(tuple(0.5 * x for x in minus(p['leaf_ball'], p['leaf_pivot'])))}" mass="0.05" diaginertia="0.0005 0.0005 0.0005"/>
 <site name="ball{c}" pos="{text(minus(p['leaf_ball'], p['leaf_pivot']))}"/>
</body>''')
        loops.append(f'<connect body1="rod{c}" body2="carrier{c}" anchor="{text(minus(p["leaf_ball"], p["leaf_pivot"]))}" '
                     f'solref="{2 * step} 1" solimp="0.9999 0.9999 0.001"/>'
                     f'<tendon tendon1="tie{c}" solref="{2 * step} 1" solimp="0.9999 0.9999 0.001"/>')
        ties.append(f'<spatial name="tie{c}"><site site="in{c}"/><site site="out{c}"/></spatial>')
    return (f'<mujoco><compiler balanceinertia="false"/><option timestep="{step}" gravity="0 0 -9.81" integrator="Euler"><flag contact="disable"/></option>'
            f'<worldbody><body name="chassis" pos="{text(com)}"><freejoint/><inertial pos="0 0 0" mass="1260" diaginertia="130 1620 1670"/>'
            f'{"".join(corners)}</body></worldbody><tendon>{"".join(ties)}</tendon><equality>{"".join(loops)}</equality></mujoco>')
