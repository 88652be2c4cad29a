#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The spring of examples/external-spring.yaml: it answers every motion with a force, and has converged when the block stays where it was.

    python3 external_spring.py [ADDRESS]
"""
import pathlib
import sys

try:
    import hooke.peer as peer
except ImportError:  # the file alone is enough
    sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "python/hooke"))
    import peer

STIFFNESS = 200.0


def main(address: str = "unix:/tmp/hooke-external-spring") -> None:
    last = None
    with peer.connect(address, nodes=1, orientation="none") as model:
        for motion in model:
            x = motion.position[0][0]
            converged = motion.iteration > 0 and abs(x - last) < 1e-12
            last = x
            model.answer([[-STIFFNESS * x, 0.0, 0.0]], converged=converged)


if __name__ == "__main__":
    main(*sys.argv[1:])
