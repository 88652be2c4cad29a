#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""exudyn_steps.py LINKS END ROUNDS: microseconds of a step of Runge-Kutta 4, 1 ms, by Exudyn's kinematic tree, the smallest of ROUNDS runs of END
seconds, and the angles after 0.05 s."""
import sys
import time

import exudyn as exu
import models
import numpy as np
from exudyn.itemInterface import NodeGenericODE2, ObjectKinematicTree

STEP = 1e-3


def chain(links):
    container = exu.SystemContainer()
    system = container.AddSystem()
    n = len(links)
    node = system.AddNode(NodeGenericODE2(referenceCoordinates=[0.0] * n, initialCoordinates=[k["angle"] for k in links],
                                          initialCoordinates_t=[k["rate"] for k in links], numberOfODE2Coordinates=n))
    inertia, axes, offset, com = exu.Matrix3DList(), exu.Matrix3DList(), exu.Vector3DList(), exu.Vector3DList()
    for i, k in enumerate(links):
        inertia.Append(np.diag(k["inertia"]))
        axes.Append(np.eye(3))
        offset.Append([links[i - 1]["length"] if i else 0.0, 0, 0])
        com.Append([k["length"] / 2, 0, 0])
    types = {"y": exu.JointType.RevoluteY, "z": exu.JointType.RevoluteZ}
    system.AddObject(ObjectKinematicTree(
        nodeNumber=node, jointTypes=[types[k["axis"]] for k in links], linkParents=list(range(-1, n - 1)), jointTransformations=axes,
        jointOffsets=offset, linkInertiasCOM=inertia, linkCOMs=com, linkMasses=[k["mass"] for k in links], baseOffset=[0, 0, 0], gravity=[0, 0, -9.81]))
    system.Assemble()
    return container, system, node


def run(links, end):
    """seconds of a step, and the angles at the end"""
    container, system, node = chain(links)
    settings = exu.SimulationSettings()
    steps = round(end / STEP)
    settings.timeIntegration.numberOfSteps = steps
    settings.timeIntegration.endTime = end
    settings.timeIntegration.verboseMode = 0
    settings.timeIntegration.explicitIntegration.computeEndOfStepAccelerations = False
    settings.solutionSettings.writeSolutionToFile = False
    start = time.process_time()
    system.SolveDynamic(settings, solverType=exu.DynamicSolverType.RK44)
    spent = time.process_time() - start
    angles = system.GetNodeOutput(node, exu.OutputVariableType.Coordinates)
    del container
    return spent / steps, list(np.atleast_1d(angles))


def main():
    links = models.chain(int(sys.argv[1]))
    best = min(run(links, float(sys.argv[2]))[0] for _ in range(int(sys.argv[3])))
    print(1e6 * best, *run(links, 0.05)[1])


if __name__ == "__main__":
    main()
