#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""drake_aba.py LINKS|humanoid ROUNDS: microseconds of an acceleration by Drake through Python, the smallest mean of ROUNDS times 200, and the accelerations."""
import sys
import time

import models
import numpy as np
from pydrake.math import RigidTransform
from pydrake.multibody.plant import MultibodyPlant
from pydrake.multibody.tree import FixedOffsetFrame, RevoluteJoint, RotationalInertia, SpatialInertia

TURNS = 200


def tree(links):
    """the plant, and its hinges"""
    plant = MultibodyPlant(0.0)
    bodies, hinges = [], []
    for i, k in enumerate(links):
        inertia = SpatialInertia.MakeFromCentralInertia(k["mass"], list(k["com"]), RotationalInertia(*k["inertia"]))
        bodies.append(plant.AddRigidBody(f"b{i}", inertia))
        if not k["axis"]:
            continue
        parent = bodies[k["parent"]].body_frame() if k["parent"] >= 0 else plant.world_frame()
        frame = plant.AddFrame(FixedOffsetFrame(f"f{i}", parent, RigidTransform(list(k["at"]))))
        hinges.append(plant.AddJoint(RevoluteJoint(f"j{i}", frame, bodies[i].body_frame(), list(models.AXES[k["axis"]]))))
    plant.mutable_gravity_field().set_gravity_vector([0, 0, -9.81])
    plant.Finalize()
    return plant, hinges


def main():
    links = models.tree(sys.argv[1])
    plant, hinges = tree(links)
    context = plant.CreateDefaultContext()
    for joint, i in zip(hinges, models.hinges(links)):
        joint.set_angle(context, links[i]["angle"])
        joint.set_angular_rate(context, links[i]["rate"])
    q = plant.GetPositions(context)
    best = np.inf
    for _ in range(int(sys.argv[2])):
        start = time.process_time()
        for _ in range(TURNS):
            q[-1] += 1e-13  # so that nothing can be used again
            plant.SetPositions(context, q)
            found = plant.EvalTimeDerivatives(context)
        best = min(best, (time.process_time() - start) / TURNS)
    rates = found.CopyToVector()[plant.num_positions():]
    print(1e6 * best, *(rates[j.velocity_start()] for j in hinges))


if __name__ == "__main__":
    main()
