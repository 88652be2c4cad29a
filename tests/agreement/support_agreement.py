# SPDX-License-Identifier: Apache-2.0
"""All formulations and integrators give the same motion: tables and measures that the tests here share.

A pair is a formulation with an integrator that fits it. Nothing is left out silently: what a pair cannot do stands
in a table with the reason, and where the reason is a refusal, the refusal itself is tested.

`make check` takes some pairs for each example, every formulation and every integrator among them, other pairs for
the next example; files named *_slow.py take them all."""
import fnmatch
import functools
import json
import math
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "examples"))
import support as examples  # noqa: E402

# Smooth examples: end time; step of the methods of order 1 and 2; step of those of higher order, and grid of those
# that choose their own. At these steps every pair is within 5e-6 of the solution, so any two within 1e-5.
SMOOTH = {
    "pendulum.yaml": (0.4, 5e-4, 4e-3),
    "double-four-bar.yaml": (0.6, 1e-3, 5e-3),  # flat, and singular, at 0.71 s
    "andrews.yaml": (0.002, 5e-6, 1e-5),
    "andrews-a03.yaml": (0.002, 5e-6, 1e-5),
    "andrews-stiff.yaml": (0.002, 4e-6, 1e-5),
    "bricard.yaml": (0.4, 2e-3, 4e-3),
    "spatial-four-bar.yaml": (0.16, 1.6e-4, 8e-4),
    "spinning-body.yaml": (0.4, 1e-3, 5e-3),
    "rolling-disc.yaml": (0.4, 1e-3, 4e-3),
    "chaplygin-sleigh.yaml": (0.4, 5e-4, 4e-3),
    "gyroscope.yaml": (0.02, 1e-5, 1e-4),
    "slider-crank-driven.yaml": (0.3, 3e-3, 3e-3),
    "slider-crank-stiff.yaml": (0.02, 1.25e-4, 1.25e-4),
    "double-pendulum-stiff.yaml": (0.01, 4e-6, 4e-6),
    "engine-mounts.yaml": (0.1, 1.25e-4, 5e-4),
    "mirrored-axle.yaml": (0.5, 2e-4, 5e-4),
    "iltis/cosine-bump.yaml": (0.1, 2.5e-4, 5e-4),
}
ELASTIC = ("andrews-stiff.yaml", "slider-crank-stiff.yaml", "double-pendulum-stiff.yaml", "engine-mounts.yaml",
           "mirrored-axle.yaml", "iltis/cosine-bump.yaml")
# examples of another kind, and where they are compared
ELSEWHERE = {
    "iltis-suspension.yaml": "drops off a kerb: rough_kerb.py",
    "iltis/ramp-and-stairs.yaml": "falls down stairs: rough_stairs.py",
    "puma.yaml": "grabs and lets go: rough_puma.py",
    "puma-by-torques.yaml": "the same arm; its order: examples/puma.py",
    "iltis/ramp-and-rounded-stairs.yaml": "the same car as on the cosine bump; its order and audit: examples/iltis.py",
    "planetary.yaml": "against closed forms in all formulations: examples/couplings.py",
    "differential.yaml": "against closed forms in all formulations: examples/couplings.py",
    "slack-line.yaml": "nodes without rotation; all formulations against six coordinates: cli/nodes.py",
    "static-node.yaml": "nodes without mass, for redundant alone: examples/static_node.py",
    "rubber-mount.yaml": "laws with states; all formulations: cli/laws.py",
    "motor-crank.yaml": "a network: examples/unknowns.py",
    "oil-bath.yaml": "a network: examples/oil_bath.py",
    "forearm-reflex.yaml": "muscles, a load that jumps; all formulations: examples/muscles.py",
    "pilot-arm.yaml": "muscles, a load that jumps; all formulations: examples/pilot_arm.py",
    "pid-arm.yaml": "a controller with states: examples/unknowns.py",
    "connected-arm/ros.yaml": "its torques come from another program: cli/connecting.py",
    "connected-arm/simulink.yaml": "its torques come from another program: cli/connecting.py",
    "connected-arm/fmu.yaml": "the same arm inside other tools: cli/connecting.py",
    "firmware/arm.yaml": "an arm with two hinges, by its exported program: cli/export_c_firmware.py",
    "streamed-spring.yaml": "its force comes from another program: tests/cli/streams.py",
    "speed-loop.yaml": "a controller as an equation and one around the library: tests/simulation/inputs.c",
    "servo-arm.yaml": "sampled blocks and a state machine: examples/controllers.py",
    "hydraulic-crane.yaml": "a network: examples/unknowns.py",
    "signals.yaml": "one signal of each kind, jumps among them: examples/signals.py",
    "constant-speed.yaml": "all formulations: examples/nonholonomic.py",
    "ground-resonance.yaml": "its modes and multipliers against classical equations: cli/rotor.py",
    "bent-beam.yaml": "its equilibria: cli/beams.py",
    "trolley-on-a-bridge.yaml": "its motion: cli/beam_sliders.py",
    "laminate-strip.yaml": "its motion: cli/beam_loads.py",
    "external-spring.yaml": "its spring is in another program: cli/external.py",
    "flapping-surface.yaml": "the surface on its spar: cli/surfaces.py",
    "blade-root.yaml": "the order of its bodies; joints like its own in all formulations: cli/elastic_joints.py",
    "flexible-four-bar.yaml": "all formulations: cli/beams_mechanisms.py",
    "flapping-plate.yaml": "all formulations: cli/shells.py",
    "flexible-pendulum.yaml": "all formulations: cli/beams.py",
    "connecting-rod.yaml": "hybrid and redundant alone: cli/flexible_mesh.py",
    "modal-slider-crank.yaml": "both of its formulations, and against beams: cli/flexible.py",
    "flexible-slider-crank.yaml": "all formulations: cli/beams_mechanisms.py",
    "crane-winch.yaml": "goes slack and taut; all formulations: cli/cables.py",
    "belt-drive.yaml": "all formulations: cli/cables.py",
    "whipple-bicycle.yaml": "its eigenvalues in all formulations: cli/modes.py",
    "hinged-column.yaml": "its equilibria: cli/statics.py",
    "suspension-kc.yaml": "its equilibria: cli/statics.py",
    "von-mises-truss.yaml": "its equilibria: cli/statics.py",
    "ziegler-column.yaml": "where it flutters: cli/modes.py",
    "snakeboard.yaml": "all formulations: examples/nonholonomic.py",
    "turntable.yaml": "all formulations: examples/nonholonomic.py",
    "shaker.yaml": "a tyre that leaves its post: examples/shaker.py",
    "hot-damper.yaml": "a network: examples/unknowns.py",
    "loosely-drawn.yaml": "about its start, the same for all formulations: examples/relaxed_start.py",
    "redundant-arm.yaml": "nothing drives it in a run; its tasks: cli/inverse_tasks.py",
    "three-rrr.yaml": "nothing drives it in a run; its tasks: cli/inverse_tasks.py",
    "triangle-arm.yaml": "servos, for redundant alone: examples/servo.py",
    "overhead-crane.yaml": "servos, for redundant alone: examples/servo.py",
    "five-bar-robot.yaml": "nothing is free; torques of the drives: examples/five_bar_robot.py",
    "cam.yaml": "nothing is free; lift and force: examples/cam.py",
    "cam-lift-off.yaml": "leaves its cam and bounces: examples/cam.py",
    "cardan-and-cv.yaml": "nothing is free; speeds and torques: examples/cardan_and_cv.py",
    "driven-top.yaml": "nothing is free; rates and torques: examples/driven_top.py",
    "hanging-chain.yaml": "about what is repeated, bit by bit: examples/hanging_chain.py",
    "four-blade-rotor.yaml": "all formulations, in two frames: examples/frames.py",
    "rubbing-four-bar.yaml": "sticks and slides: order/joint_friction.py",
    "crash-sled.yaml": "yields and sticks; all pairs of laws with memory: order/memory.py, order/memory_slow.py",
    "door-with-stop.yaml": "rigid and compliant stops: examples/stops.py",
    "spinning-ball.yaml": "impacts that rub: examples/stop_friction.py",
    "clutch.yaml": "slips and sticks; formulations: examples/friction.py",
    "disc-brake.yaml": "slips and sticks; formulations: examples/friction.py",
    "belt-stick-slip.yaml": "sticks exactly, against its closed form in all formulations: examples/exact_stick.py",
    "stick-slip.yaml": "a limit cycle, against its closed form: examples/friction.py",
    "grab-and-release.yaml": "three events; all formulations: order/topological.py, examples/events.py",
}
PARTS = ("iltis/corner.yaml", "iltis/suspension.yaml", "iltis/suspension-normal.yaml", "iltis/vehicle.yaml",
         "puma/arm.yaml", "pilot-arm/arm.yaml", "connected-arm/mechanism.yaml")

# options that a pair needs: (example, formulation, integrator) as patterns
OPTIONS = {
    ("*", "*", "dopri5"): ["step_control=off"],  # else its tolerance, and not the step, decides about its error
    ("bricard.yaml", "redundant", "*"): ["redundancy=least_squares"],  # it refuses redundant rows by default
    ("*", "redundant", "bdf"): ["rtol=1e-10", "atol=1e-12"],
}

# what does not fit each other, and words of the refusal
UNFIT = {**{(f, "bdf"): "needs the equations as one system of first order"
            for f in ("hybrid", "global", "topological", "recursive", "partition")},
         ("recursive", "sdirk"): "needs implicit stages with constraints at acceleration level"}

# what a pair refuses: (exit code, words of the message), and the reason
CANNOT = {
    ("bricard.yaml", "redundant", "bdf"): (
        (4, "integrator 'bdf' needs independent constraints"), "its multipliers are unknowns that nothing determines"),
}

# where an order cannot show, though the solution is met
NO_ORDER = {
    # the stiff joint decays at 1e5/s: no step here is short against that
    ("double-pendulum-stiff.yaml", "*", "sdirk"): "order reduction: the fast decay is not resolved",
    # the material tangent knows no gyroscopic terms: in the steps of the fast spin the iteration ends at its tolerance
    ("gyroscope.yaml", "hybrid", "sdirk"): "the tolerance of the iteration rules",
    ("gyroscope.yaml", "topological", "sdirk"): "the tolerance of the iteration rules",
    # the curvature of the road jumps at both ends of the bump, and the tyres are stiff: order 3 at best
    ("iltis/cosine-bump.yaml", "*", "rk4"): "the road is only once differentiable",
    ("iltis/cosine-bump.yaml", "*", "dopri5"): "the road is only once differentiable",
}

# where the order shows at steps so many times shorter
SHORTER = {
    # its projections take the factor of the prediction, which leaves an error of order 4: at 4 ms half as large as that of order 2, with
    # the opposite sign
    ("bricard.yaml", "redundant", "linearly_implicit"): 2,
}

FLOOR = 2e-10  # of the range: below this the reference, round-off and the tolerance of iterations rule


def lookup(table, *key):
    for pattern, value in table.items():
        if all(fnmatch.fnmatchcase(k, p) for k, p in zip(key, pattern)):
            return value
    return None


def options_of(*key):
    return [x for pattern, value in OPTIONS.items() if lookup({pattern: True}, *key)
            for o in value for x in ("--option", o)]


def entries(kind):
    out = examples.subprocess.run([examples.HOOKE, "list", kind, "--json"], check=True,
                                  capture_output=True, text=True).stdout
    return json.loads(out)


def names(kind):
    return [entry["name"] for entry in entries(kind)]


def orders():
    """order of each integrator, None where the local error chooses it"""
    found = {}
    for e in entries("integrators"):
        detail = e["detail"] or ""
        found[e["name"]] = int(detail.split("order:")[1].split()[0]) if "order:" in detail else None
    return found


@functools.lru_cache(maxsize=None)
def pairs():
    """all pairs that fit each other, integrator by integrator; the others are refused as UNFIT says"""
    found = []
    for integrator in names("integrators"):
        for formulation in names("formulations"):
            run = examples.subprocess.run(
                [examples.HOOKE, "run", examples.EXAMPLES / "pendulum.yaml", "--time", "0.01", "--formulation",
                 formulation, "--integrator", integrator, "--json"], capture_output=True, text=True, check=False)
            words = UNFIT.get((formulation, integrator))
            if (run.returncode, words is None) not in ((0, True), (2, False)) or (words or "") not in run.stderr:
                raise AssertionError(f"{formulation} + {integrator}: {run.returncode}, expected "
                                     f"{'a refusal: ' + words if words else 'a run'}\n{run.stderr}")
            if words is None:
                found.append((formulation, integrator))
    return found


def covering(chosen, turn):
    """of some pairs so few that each formulation and each integrator among them still comes at least once; as many
    turns in a row as there are formulations take every pair"""
    found = []
    for k, integrator in enumerate(dict.fromkeys(i for _, i in pairs())):
        fits = [f for f, i in chosen if i == integrator]
        found += [(fits[(turn + k) % len(fits)], integrator)] if fits else []
    for formulation in dict.fromkeys(f for f, _ in chosen):
        if formulation not in {f for f, _ in found}:
            fits = [i for f, i in chosen if f == formulation]
            found.append((formulation, fits[turn % len(fits)]))
    return found


def ranges(series, what):
    """range of each body's position or of its orientation, by body; those that do not move are left out"""
    found = {}
    for column, values in series.items():
        if f".{what}." in column:
            body = column.rsplit(".", 2)[0]
            found[body] = max(found.get(body, 0.0), max(values) - min(values))
    most = max(found.values(), default=0.0)
    return {body: size for body, size in found.items() if size > 1e-6 * most and size > 1e-9}


def distance(found, expected):
    """largest difference of positions and of orientations of bodies, each in parts of its range"""
    worst = 0.0
    for what in ("position", "orientation"):
        sizes = ranges(expected, what)
        for column, values in expected.items():
            size = sizes.get(column.rsplit(".", 2)[0]) if f".{what}." in column else None
            if size:
                worst = max(worst, max(abs(a - b) for a, b in zip(found[column], values)) / size)
    return worst


def richardson(coarse, fine):
    """the limit that a method of order 1 shows at a step and at half of it"""
    return {c: [2 * b - a for a, b in zip(coarse[c], fine[c])] for c in fine}


class AgreementTest(examples.ExampleTest):
    RECORD = '["body.*.position", "body.*.orientation"]'

    WHOLE = False  # take all pairs, not a covering set

    def pairs(self, example="", turn=0):
        """the pairs to try on an example: those it does not refuse, or some of them; all under sanitizers, where few
        examples run"""
        able = [(f, i) for f, i in pairs() if not lookup(CANNOT, example, f, i)]
        return able if self.WHOLE or examples.SHORT else covering(able, turn)

    def positions(self, model, step, time, *args, every=None, record=None):
        """recorded series of an example (by name) or of a model of its own, at ten times or `every`"""
        path = model if isinstance(model, pathlib.Path) else examples.EXAMPLES / model
        own = self.variant(f'hooke: 1\ninclude: ["{path}"]\nrecord: {record or self.RECORD}\n')
        value, found = self.run_series(own, "--step", step, "--time", time, "--output-every", every or time / 10, *args)
        self.grade = value["grade"], value["warnings"]
        return found

    def series(self, example, formulation, integrator, step, time):
        """a pair on a smooth example, with the options it needs"""
        return self.positions(example, step, time, "--formulation", formulation, "--integrator", integrator,
                              *options_of(example, formulation, integrator))

    def reference(self, model, time, every=None, record=None):
        """relative coordinates with steps by a tolerance of 1e-12"""
        return self.positions(model, every or time / 20, time, "--formulation", "hybrid", "--integrator", "dopri5",
                              "--option", "rtol=1e-12", "--option", "atol=1e-14", every=every, record=record)
