#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""drake_bars.py N STEP END: discrete steps of Drake (SAP) of N four-bars in a row, loops closed by ball constraints; Drake has no closed loops in continuous time.
Prints the CPU seconds of the run, the largest drift of energy at its ends (J) and the angles of the cranks."""
import sys
import time

import numpy as np
from pydrake.math import RigidTransform
from pydrake.multibody.plant import DiscreteContactApproximation, MultibodyPlant
from pydrake.multibody.tree import FixedOffsetFrame, RevoluteJoint, RotationalInertia, SpatialInertia
from pydrake.systems.analysis import Simulator


def main():
    n, step, end = int(sys.argv[1]), float(sys.argv[2]), float(sys.argv[3])
    plant = MultibodyPlant(step)
    plant.set_discrete_contact_approximation(DiscreteContactApproximation.kSap)
    upright = SpatialInertia.MakeFromCentralInertia(1.0, [0, 0.5, 0], RotationalInertia(1 / 12, 0.01, 1 / 12))
    level = SpatialInertia.MakeFromCentralInertia(1.0, [0.5, 0, 0], RotationalInertia(0.01, 1 / 12, 1 / 12))
    cranks, rods, pins, knees = [], [], [], []
    for i in range(n + 1):
        cranks.append(plant.AddRigidBody(f"crank{i}", upright))
        base = plant.AddFrame(FixedOffsetFrame(f"base{i}", plant.world_frame(), RigidTransform([i, 0, 0])))
        pins.append(plant.AddJoint(RevoluteJoint(f"pin{i}", base, cranks[i].body_frame(), [0, 0, 1])))
        if i < n:
            rods.append(plant.AddRigidBody(f"rod{i}", level))
            top = plant.AddFrame(FixedOffsetFrame(f"top{i}", cranks[i].body_frame(), RigidTransform([0, 1, 0])))
            knees.append(plant.AddJoint(RevoluteJoint(f"knee{i}", top, rods[i].body_frame(), [0, 0, 1])))
    for i in range(n):
        plant.AddBallConstraint(rods[i], [1, 0, 0], cranks[i + 1], [0, 1, 0])
    plant.mutable_gravity_field().set_gravity_vector([0, -9.81, 0])
    plant.Finalize()
    simulator = Simulator(plant)
    context = simulator.get_mutable_context()
    for pin in pins:
        pin.set_angular_rate(context, -1)
    for knee in knees:
        knee.set_angular_rate(context, 1)
    simulator.Initialize()

    def energy():
        return plant.EvalKineticEnergy(context) + plant.EvalPotentialEnergy(context)
    start = energy()
    begun = time.process_time()
    simulator.AdvanceTo(end)
    spent = time.process_time() - begun
    print(spent, abs(energy() - start), *(float(np.atleast_1d(pin.get_angle(context))[0]) for pin in pins))


if __name__ == "__main__":
    main()
