#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The other side of examples/streamed-spring.yaml: the force of a spring for every place of the block."""
import importlib.util
import pathlib
import sys

try:
    from hooke import stream
except ImportError:  # not installed: the module stands alone
    path = pathlib.Path(__file__).resolve().parents[2] / "python/hooke/stream.py"
    spec = importlib.util.spec_from_file_location("stream", path)
    stream = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(stream)

STIFFNESS = 200.0  # N/m
place_at, force_at = sys.argv[1:3] if len(sys.argv) > 2 else ("unix:/tmp/hooke-spring-place", "unix:/tmp/hooke-spring-force")

# of datagrams whoever receives is the one who listens, and must be there first
with (stream.listen if place_at.startswith("udp:") else stream.connect)(place_at) as place, stream.connect(force_at) as force:
    frames = 0
    for t, (x,) in place:
        frames += 1
        if not force.send(t, [-STIFFNESS * x]):
            break
    print(f"{frames} frames, {place.lost} lost")
