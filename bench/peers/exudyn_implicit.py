#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""exudyn_implicit.py bars|chain N STEP END [drift]: implicit steps of Exudyn in redundant coordinates, generalized alpha with a spectral radius of 0.9, modified
Newton, sparse matrices. Prints the CPU seconds of the run, the largest drift of energy (J; 0 without `drift`) and the angles at the end: of cranks, or of hinges."""
import sys
import time

import exudyn as exu
import models
import numpy as np
from exudyn.itemInterface import (LoadMassProportional, MarkerBodyMass, MarkerBodyPosition, NodeRigidBody2D, ObjectGround, ObjectJointRevolute2D,
                                  ObjectRigidBody2D)
from exudyn.utilities import RigidBodyInertia

G = 9.81


def bars(system, n):
    """bodies in the plane; returns their nodes, cranks first"""
    ground = system.AddObject(ObjectGround())
    nodes, cranks, rods = [], [], []

    def body(x, y, rates):
        node = system.AddNode(NodeRigidBody2D(referenceCoordinates=[x, y, 0], initialVelocities=rates))
        made = system.AddObject(ObjectRigidBody2D(physicsMass=1.0, physicsInertia=1 / 12, nodeNumber=node))
        system.AddLoad(LoadMassProportional(markerNumber=system.AddMarker(MarkerBodyMass(bodyNumber=made)), loadVector=[0, -G, 0]))
        nodes.append(node)
        return made

    def pin(a, at, b, to):
        system.AddObject(ObjectJointRevolute2D(markerNumbers=[system.AddMarker(MarkerBodyPosition(bodyNumber=x, localPosition=[*p, 0]))
                                                              for x, p in ((a, at), (b, to))]))
    for i in range(n + 1):
        cranks.append(body(i, 0.5, [0.5, 0, -1]))
        pin(ground, (i, 0), cranks[i], (0, -0.5))
    for i in range(n):
        rods.append(body(i + 0.5, 1, [1, 0, 0]))
        pin(cranks[i], (0, 0.5), rods[i], (-0.5, 0))
        pin(rods[i], (0.5, 0), cranks[i + 1], (0, 0.5))
    return nodes


def chain(system, links):
    """bodies in space, drawn where they start"""
    R, at, before, made = np.eye(3), np.zeros(3), system.AddObject(ObjectGround()), []
    for i, k in enumerate(links):
        c, s = np.cos(k["angle"]), np.sin(k["angle"])
        turn = np.array([[c, 0, s], [0, 1, 0], [-s, 0, c]]) if k["axis"] == "y" else np.array([[c, -s, 0], [s, c, 0], [0, 0, 1]])
        axis = R @ ([0, 1, 0] if k["axis"] == "y" else [0, 0, 1])
        R = R @ turn
        # its frame is at its centre of mass
        body = system.CreateRigidBody(inertia=RigidBodyInertia(k["mass"], np.diag(k["inertia"])), referenceRotationMatrix=R,
                                      referencePosition=at + R @ [k["length"] / 2, 0, 0], gravity=[0, 0, -G])
        system.CreateRevoluteJoint(bodyNumbers=[before, body], position=at, axis=axis, useGlobalFrame=True)
        at = at + R @ [k["length"], 0, 0]
        before = body
        made.append(body)
    return made


def settings(step, end):
    found = exu.SimulationSettings()
    found.timeIntegration.numberOfSteps = round(end / step)
    found.timeIntegration.endTime = end
    found.timeIntegration.verboseMode = 0
    found.timeIntegration.newton.useModifiedNewton = True
    found.timeIntegration.generalizedAlpha.spectralRadius = 0.9
    found.linearSolverType = exu.LinearSolverType.EigenSparse
    found.solutionSettings.writeSolutionToFile = False
    return found


def main():
    kind, n, step, end = sys.argv[1], int(sys.argv[2]), float(sys.argv[3]), float(sys.argv[4])
    container = exu.SystemContainer()
    system = container.AddSystem()
    links = models.resting(n) if kind == "chain" else None
    made = chain(system, links) if links else bars(system, n)
    system.Assemble()
    drift = [0.0]
    if len(sys.argv) > 5:
        high = np.array([0.5] * (n + 1) + [1.0] * n)

        def energy():
            q, v = system.systemData.GetODE2Coordinates().reshape(-1, 3), system.systemData.GetODE2Coordinates_t().reshape(-1, 3)
            return 0.5 * np.sum(v[:, :2] ** 2) + np.sum(v[:, 2] ** 2) / 24 + G * np.sum(q[:, 1] + high)

        start = energy()

        def look(_system, _t):
            drift[0] = max(drift[0], abs(energy() - start))
            return True
        system.SetPostStepUserFunction(look)
    options = settings(step, end)
    begun = time.process_time()
    system.SolveDynamic(options, solverType=exu.DynamicSolverType.GeneralizedAlpha)
    spent = time.process_time() - begun
    if links:
        angles = models.chain_angles(links, [np.reshape(system.GetObjectOutputBody(b, exu.OutputVariableType.RotationMatrix, [0, 0, 0]), (3, 3))
                                             for b in made])
    else:
        angles = [system.GetNodeOutput(b, exu.OutputVariableType.Coordinates)[2] for b in made[:n + 1]]
    print(spent, drift[0], *angles)


if __name__ == "__main__":
    main()
