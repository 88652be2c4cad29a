#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""drake_aba.py LINKS ROUNDS: microseconds of an acceleration by Drake through Python, the smallest mean of ROUNDS times 200, and the accelerations."""
import sys
import time

import models
import numpy as np
from pydrake.math import RigidTransform
from pydrake.multibody.plant import MultibodyPlant
from pydrake.multibody.tree import FixedOffsetFrame, RevoluteJoint, RotationalInertia, SpatialInertia

TURNS = 200


def chain(links):
    plant = MultibodyPlant(0.0)
    parent = plant.world_frame()
    for i, k in enumerate(links):
        at = links[i - 1]["length"] if i else 0.0
        frame = plant.AddFrame(FixedOffsetFrame(f"f{i}", parent, RigidTransform([at, 0, 0])))
        inertia = SpatialInertia.MakeFromCentralInertia(k["mass"], [k["length"] / 2, 0, 0], RotationalInertia(*k["inertia"]))
        body = plant.AddRigidBody(f"b{i}", inertia)
        plant.AddJoint(RevoluteJoint(f"j{i}", frame, body.body_frame(), [0, 1, 0] if k["axis"] == "y" else [0, 0, 1]))
        parent = body.body_frame()
    plant.mutable_gravity_field().set_gravity_vector([0, 0, -9.81])
    plant.Finalize()
    return plant


def main():
    links = models.chain(int(sys.argv[1]))
    plant = chain(links)
    context = plant.CreateDefaultContext()
    q = np.array([k["angle"] for k in links])
    plant.SetVelocities(context, np.array([k["rate"] for k in links]))
    best = np.inf
    for _ in range(int(sys.argv[2])):
        start = time.process_time()
        for _ in range(TURNS):
            q[-1] += 1e-13  # so that nothing can be used again
            plant.SetPositions(context, q)
            found = plant.EvalTimeDerivatives(context)
        best = min(best, (time.process_time() - start) / TURNS)
    print(1e6 * best, *found.CopyToVector()[len(links):])


if __name__ == "__main__":
    main()
