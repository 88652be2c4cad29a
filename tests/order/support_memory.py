# SPDX-License-Identifier: Apache-2.0
"""Models with laws that have memory, for the tests of their order and agreement."""
import math

BRANCHES = ((300.0, 0.2), (120.0, 0.05))
MAXWELL = "maxwell: [" + ", ".join(f"{{stiffness: {k}, time: {tau}}}" for k, tau in BRANCHES) + "]"
BRISTLE = dict(stiffness=2000.0, damping=9.0, coulomb=1.5, static=2.0, speed=0.3, viscous=0.4)
LUGRE = "lugre: {" + ", ".join(f"{k}: {v}" for k, v in BRISTLE.items()) + "}"

RAIL = """hooke: 1
bodies: {{block: {{mass: 2, com: [0, 0, 0]}}}}
joints: {{rail: {{type: prismatic, between: [ground, block], at: [0, 0, 0], axis: x{motion}}}}}
{rest}
record: ["joint.rail.position", "joint.rail.velocity", "force.*", "energy.*"]
run: {{time: {time}, step: {step}, formulation: hybrid, integrator: trapezoidal}}
"""

# a four-bar loop with a rubber strut, a bushing with branches and a bristle at its first joint
LOOP = f"""hooke: 1
planar: xz
gravity: [0, 0, -9.81]
bodies:
  crank:   {{mass: 1.2, com: [0, 0, 0.1], inertia: {{yy: 0.02}}}}
  coupler: {{mass: 2, com: [0.2, 0, 0.25], inertia: {{yy: 0.04}}}}
  rocker:  {{mass: 1.5, com: [0.4, 0, 0.15], inertia: {{yy: 0.03}}}}
  weight:  {{mass: 0.5, com: [0.2, 0, 0.35], inertia: {{yy: 0.01}}}}
joints:
  A: {{type: revolute, between: [ground, crank], at: [0, 0, 0], axis: y}}
  B: {{type: revolute, between: [crank, coupler], at: [0, 0, 0.2], axis: y}}
  C: {{type: revolute, between: [coupler, rocker], at: [0.4, 0, 0.3], axis: y}}
  D: {{type: revolute, between: [ground, rocker], at: [0.4, 0, 0], axis: y}}
forces:
  strut: {{type: spring_damper, between: [ground, coupler], ends: [[0.4, 0, 0], [0, 0, 0.2]], length: 0.4, spring: {{linear: 400, {MAXWELL}}}}}
  pivot: {{type: joint_spring, joint: A, damper: {{lugre: {{stiffness: 60, damping: 0.4, coulomb: 0.5, static: 0.7, speed: 3, viscous: 0.02}}}}}}
  mount:
    type: bushing
    between: [coupler, weight]
    at: [0.2, 0, 0.35]
    damping: [2, 0, 2, 0, 0.05, 0]
    spring: {{x: {{linear: 800, maxwell: [{{stiffness: 500, time: 0.04}}]}}, z: {{polynomial: [0, 900, 0, 1e5]}}, ry: {{linear: 20, maxwell: [{{stiffness: 9, damping: 0.4}}]}}}}
start: {{A: {{rate: 5}}}}
record: ["joint.A.angle", "joint.D.rate", "body.weight.position", "energy.*"]
run: {{time: 0.1, step: 0.001, formulation: hybrid, integrator: trapezoidal}}
"""
LOOP_CHANNELS = ("joint.A.angle", "joint.D.rate", "body.weight.position.x")


def rail(rest, time, step, motion=""):
    return RAIL.format(rest=rest, time=time, step=step, motion=motion)


def hardening(path, k, fy, Hi, Hk):
    """force and dissipated work at each value of a path that does not turn between two of them"""
    sp = p = 0.0
    out = []
    for s in path:
        x = k * (s - sp) - Hk * sp
        over = abs(x) - fy - Hi * p
        if over > 0.0:
            p += over / (k + Hi + Hk)
            sp += math.copysign(over / (k + Hi + Hk), x)
        out.append((k * (s - sp), fy * p + 0.5 * Hi * p * p))
    return out
