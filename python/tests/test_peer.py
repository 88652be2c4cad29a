# SPDX-License-Identifier: Apache-2.0
"""Two models in two processes, tightly coupled: one run by the command, the other by this program, which goes back to the beginning of a step for every
iteration. Together they are the model that holds both."""
import json
import os
import subprocess

import pytest

import hooke
import hooke.peer

RAIL = """\
hooke: 1
gravity: [0, 0, 0]
bodies: {block: {mass: MASS, com: [0, 0, 0], inertia: [1, 1, 1]}}
joints: {rail: {type: prismatic, between: [ground, block], at: [0, 0, 0], axis: x}}
start: {rail: {position: 0.1}}
record: [joint.*]
run: {time: 0.5, step: 0.01, integrator: trapezoidal}
"""
FIRST = RAIL.replace("MASS", "2") + """\
forces: {own: {type: joint_force, joint: rail, value: -200*joint.rail.position}}
external: {f: {bodies: [block], coupling: COUPLING, orientation: none, peer: {unix: 'PLACE'}}}
"""
SECOND = RAIL.replace("MASS", "0.5") + """\
signals: {x: {input: 0.1}, v: {input: 0}}
forces: {link: {type: joint_force, joint: rail, value: "800*(x - joint.rail.position) + 3*(v - joint.rail.velocity)"}}
"""
WHOLE = RAIL.replace("MASS", "2").replace("bodies: {", "bodies: {other: {mass: 0.5, com: [0, 0, 0], inertia: [1, 1, 1]}, ").replace(
    "joints: {", "joints: {far: {type: prismatic, between: [ground, other], at: [0, 0, 0], axis: x}, ").replace("start: {", "start: {far: {position: 0.1}, ") + """\
forces:
  own: {type: joint_force, joint: rail, value: -200*joint.rail.position}
  a: {type: joint_force, joint: far, value: "800*(joint.rail.position - joint.far.position) + 3*(joint.rail.velocity - joint.far.velocity)"}
  b: {type: joint_force, joint: rail, value: "800*(joint.far.position - joint.rail.position) + 3*(joint.far.velocity - joint.rail.velocity)"}
"""


def other(place, tight):
    """the second model as the peer of the first"""
    sim, kept, last = hooke.parse(SECOND).sim(), None, None
    with hooke.peer.connect(f"unix:{place}", nodes=1, orientation="none") as model:
        for m in model:
            x, v = m.position[0][0], m.velocity[0][0]
            if kept is not None or last is not None:  # not at the start
                if m.iteration == 0:
                    kept, last = sim.state(), None
                else:
                    sim.restore(kept)
                sim.input["x"], sim.input["v"] = x, v
                sim.step()
            f = 800 * (sim["joint.rail.position"] - x) + 3 * (sim["joint.rail.velocity"] - v)
            done = not tight or kept is None or (last is not None and abs(f - last) < 1e-11)
            model.answer([[f, 0, 0]], converged=done)
            last = f
    return sim


@pytest.mark.skipif("HOOKE" not in os.environ, reason="the command is not known here")
def test_two_models(tmp_path):
    whole, error = hooke.parse(WHOLE).run(), {}
    for coupling in ("tight", "loose"):
        place = tmp_path / coupling
        (tmp_path / "a.yaml").write_text(FIRST.replace("PLACE", str(place)).replace("COUPLING", coupling))
        with subprocess.Popen([os.environ["HOOKE"], "run", tmp_path / "a.yaml", "--connect", "--json"], stdout=subprocess.PIPE, text=True) as run:
            sim = other(place, coupling == "tight")
            said = json.loads(run.communicate(timeout=60)[0])
        assert (said["external"]["f"]["most_in_a_step"] == 1) == (coupling == "loose")
        error[coupling] = max(abs(said["final"]["joint.rail.position"] - whole["joint.rail.position"][-1]), abs(sim["joint.rail.position"] - whole["joint.far.position"][-1]))
    assert error["tight"] < 1e-11
    assert 1e-6 < error["loose"] < 5e-3
