# SPDX-License-Identifier: Apache-2.0
"""Models that are not smooth: the kerb, the stairs, the PUMA task, how they are run and compared, each to 1e-3 of the
range in positions, pitch, shock lengths and wheel heights. Files rough_*.py take some pairs of formulation and
integrator, rough_*_slow.py all."""
import re

from support_agreement import AgreementTest, examples, names, orders, pairs  # noqa: F401

DATA = examples.EXAMPLES / "studies/data"
EVERY = 0.01
SAME = 1e-3


def table(name):
    """columns of a reference series whose first line is a remark"""
    lines = [line for line in (DATA / name).read_text(encoding="utf-8").splitlines() if not line.startswith("#")]
    head, *rows = [line.split(",") for line in lines]
    return {n: [float(row[i]) for row in rows] for i, n in enumerate(head)}


class RoughTest(AgreementTest):
    # explicit methods are stable below 2.8 (rk4, dopri5) or 2 (abm2) over the largest decay rate, 2300/s (the wrist)
    PUMA_STEPS = {"rk4": 0.001, "abm2": 0.0005, "dopri5": 0.001}

    def some_pairs(self, turn):
        """under sanitizers one integrator with each formulation: pairs.py runs the others' code there"""
        if examples.SHORT:
            return [(f, i) for f, i in pairs() if i == "trapezoidal"]
        return self.pairs(turn=turn)

    def assertWithin(self, found, expected, within):
        """each quantity in parts of the largest range among its kind"""
        kinds = {}
        for column in expected:
            kinds.setdefault(re.sub(r"\.(front|rear)_(left|right)\.", ".*.", column), []).append(column)
        kinds.pop("t")
        self.assertEqual(len(found["t"]), len(expected["t"]))
        for kind, columns in kinds.items():
            size = max(max(expected[c]) - min(expected[c]) for c in columns)
            if size < 1e-6:  # does not move: sideways
                size = 1.0
            error = max(abs(a - b) for c in columns for a, b in zip(found[c], expected[c]))
            self.assertLess(error, within * size, f"{kind}: {error / size:.2e} of its range")

    def extrapolated(self, run, integrator, step):
        """a method of order 1 is compared by the limit that two steps show"""
        if orders()[integrator] != 1:
            return run(step)
        coarse, fine = run(step), run(0.5 * step)
        return {c: [2 * b - a for a, b in zip(coarse[c], fine[c])] for c in fine}

    # --- kerb: block, wheel and shock

    KERB = {"body.block.position.z": "block_z", "body.carrier.position.z": "wheel_z", "force.shock.length": "shock_len"}

    def kerb(self, formulation, integrator, time):
        record = str(list(self.KERB)).replace("'", '"')
        found = self.extrapolated(
            lambda h: self.positions("iltis-suspension.yaml", h, time, "--formulation", formulation, "--integrator",
                                     integrator, every=EVERY, record=record), integrator, 0.001)
        return {c: found[c] for c in ("t", *self.KERB)}

    def kerb_reference(self, time):
        known = table("iltis-suspension.csv")
        # 3 s, when the road falls away, stands there twice
        rows = [i for i, t in enumerate(known["t"]) if t < time + 1e-9 and t not in known["t"][:i]]
        return {"t": [known["t"][i] for i in rows], **{c: [known[n][i] for i in rows] for c, n in self.KERB.items()}}

    def check_kerb(self):
        """against the reference series: 5e-4 each, so any two within 1e-3"""
        time = 3.3 if examples.SHORT else 4
        for formulation, integrator in self.some_pairs(0):
            with self.subTest(formulation=formulation, integrator=integrator):
                self.assertWithin(self.kerb(formulation, integrator, time), self.kerb_reference(time), 0.5 * SAME)

    # --- stairs: the car stands on the landing and drives down one step

    STAIRS = ('["body.chassis.position", "body.chassis.orientation", "body.*.carrier.position", '
              '"force.*.shock.length"]')

    def stairs_model(self):
        folder = examples.EXAMPLES / "iltis"
        text = self.text("iltis/ramp-and-stairs.yaml").replace("[vehicle.yaml]", f"[{folder}/vehicle.yaml]")
        text = text.replace("file: ", f"file: {folder}/").replace("table: ", f"table: {folder}/")
        self.assertEqual(text.count("position: [0, 0, 0.57]"), 1)
        return self.variant(text.replace("position: [0, 0, 0.57]", "position: [18.9, 0, 1.57]"), "stairs.yaml")

    def stairs(self, formulation, integrator, step, *more):
        return self.positions(self.stairs_model(), step, 0.6, "--formulation", formulation, "--integrator",
                              integrator, *more, every=EVERY, record=self.STAIRS)

    def stairs_reference(self):
        """edges within 5 micrometres of where they are"""
        return self.stairs("topological", "trapezoidal", 1e-5)

    def check_stairs(self):
        """All formulations see an edge at the end of the same step: with one integrator and one step they agree, here
        each with the first formulation. Edges lie between steps, so that integrators agree only as steps shrink."""
        step = 0.002 if examples.SHORT else 0.001
        first = {}
        for formulation, integrator in self.some_pairs(1):
            if integrator == "bdf":  # finds edges itself
                continue
            with self.subTest(formulation=formulation, integrator=integrator):
                if integrator not in first:
                    first[integrator] = self.stairs(names("formulations")[0], integrator, step)
                if formulation != names("formulations")[0]:
                    self.assertWithin(self.stairs(formulation, integrator, step), first[integrator], SAME)

    # --- PUMA

    def puma(self, formulation, integrator, time):
        return self.extrapolated(
            lambda h: self.positions("puma.yaml", h, time, "--formulation", formulation, "--integrator", integrator,
                                     every=0.05), integrator, self.PUMA_STEPS.get(integrator, 0.01))

    def puma_reference(self, time):
        return self.reference("puma.yaml", time, every=0.05)

    def check_puma(self):
        """5e-4 each; the hand is held at 2 s and free again at 6 s. Explicit methods need steps so short that only
        the whole matrix takes them to the end."""
        time = 2.1 if examples.SHORT else 8
        reference = {t: self.puma_reference(t) for t in {2.1, time}}
        for formulation, integrator in self.some_pairs(2):
            short = integrator in self.PUMA_STEPS and not self.WHOLE
            with self.subTest(formulation=formulation, integrator=integrator):
                end = 2.1 if short else time
                self.assertWithin(self.puma(formulation, integrator, end), reference[end], 0.5 * SAME)
