# SPDX-License-Identifier: Apache-2.0
"""The models of bench/peers, for Hooke and for others, from one description each. Data of the Iltis: examples/iltis/corner.yaml."""
import math


def chain(n):
    """rods of 1 kg and 0.5 m, one after the other from the origin, their hinges alternately about y and z"""
    return [dict(axis="yz"[i % 2], length=0.5, mass=1.0, inertia=(0.01, 0.05, 0.06), angle=0.3 - 0.1 * (i % 5),
                 rate=0.5 - 0.2 * (i % 3)) for i in range(n)]


def chain_yaml(links):
    x, bodies, joints, start, record = 0.0, [], [], [], []
    for i, k in enumerate(links):
        before = f"b{i - 1}" if i else "ground"
        a, b, c = k["inertia"]
        bodies.append(f"  b{i}: {{mass: {k['mass']}, com: [{x + k['length'] / 2}, 0, 0], inertia: {{diagonal: [{a}, {b}, {c}]}}}}")
        joints.append(f"  j{i}: {{type: revolute, between: [{before}, b{i}], at: [{x}, 0, 0], axis: {k['axis']}}}")
        start.append(f"  j{i}: {{angle: {k['angle']}, rate: {k['rate']}}}")
        record.append(f'"joint.j{i}.angle"')
        x += k["length"]
    return "\n".join(["hooke: 1", "gravity: [0, 0, -9.81]", "bodies:", *bodies, "joints:", *joints, "start:", *start,
                      f"record: [{', '.join(record)}]", "run: {time: 1, step: 0.001, formulation: recursive, integrator: rk4}", ""])


def chain_mjcf(links):
    head, tail = [], []
    for i, k in enumerate(links):
        at = links[i - 1]["length"] if i else 0
        axis = {"y": "0 1 0", "z": "0 0 1"}[k["axis"]]
        a, b, c = k["inertia"]
        head.append(f'<body pos="{at} 0 0"><joint type="hinge" axis="{axis}"/>'
                    f'<inertial pos="{k["length"] / 2} 0 0" mass="{k["mass"]}" diaginertia="{a} {b} {c}"/>')
        tail.append("</body>")
    angles = " ".join(str(k["angle"]) for k in links)
    rates = " ".join(str(k["rate"]) for k in links)
    return (f'<mujoco><option integrator="RK4" gravity="0 0 -9.81"><flag contact="disable"/></option><worldbody>{"".join(head)}{"".join(tail)}'
            f'</worldbody><keyframe><key name="start" qpos="{angles}" qvel="{rates}"/></keyframe></mujoco>')


def chain_pinocchio(pin, links):
    import numpy as np
    model = pin.Model()
    parent = 0
    for i, k in enumerate(links):
        joint = pin.JointModelRY() if k["axis"] == "y" else pin.JointModelRZ()
        at = links[i - 1]["length"] if i else 0.0
        parent = model.addJoint(parent, joint, pin.SE3(np.eye(3), np.array([at, 0.0, 0.0])), f"j{i}")
        inertia = pin.Inertia(k["mass"], np.array([k["length"] / 2, 0.0, 0.0]), np.diag(k["inertia"]))
        model.appendBodyToJoint(parent, inertia, pin.SE3.Identity())
    model.gravity.linear = np.array([0.0, 0.0, -9.81])
    return model


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
