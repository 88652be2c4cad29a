#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""FMUs of `hooke export fmu`, run by a small importer in ctypes: bits of a run, states, slopes, model exchange, bad use."""
import csv
import json
import math
import os
import random
import unittest

from support import SOURCE, CommandTest
from support_fmu import CART, Failed, Fmu, bits

@unittest.skipIf(os.environ.get("HOOKE_TEST_SHORT"), "a sanitized program cannot be loaded into Python")
class Fmus(CommandTest):
    def export(self, model, *args):
        out = self.dir / "x.fmu"
        self.hooke("export", "fmu", model, "-q", "-o", out, *args)
        fmu = Fmu(out)
        self.addCleanup(fmu.close)
        return fmu

    def cart(self, *args):
        path = self.dir / "cart.yaml"
        path.write_text(CART)
        return self.export(path, *args)

    def rows(self, model, *args):
        out = self.dir / "run.csv"
        self.hooke("run", model, "-q", "-o", out, *args)
        with open(out, encoding="utf-8") as f:
            table = [row for row in csv.reader(f) if row and not row[0].startswith("#")]
        return table[0], [[float(x) for x in row] for row in table[1:]]

    def follow(self, fmu, rows, names):
        """steps of the run's own rows: each output bit by bit that of the run"""
        it = fmu.instance()
        it.start(stop=rows[-1][0])
        self.assertEqual(bits(it.get(*names)), bits(rows[0][1:]))
        for a, b in zip(rows, rows[1:]):
            it.step(a[0], b[0] - a[0])
            self.assertEqual(bits(it.get(*names)), bits(b[1:]), f"t = {b[0]}")
        it.terminate()
        it.free()

    def test_co_simulation_gives_the_bits_of_a_run(self):
        for version in ("2", "3"):
            for name in ("pendulum", "double-four-bar", "motor-crank"):
                model = SOURCE / f"examples/{name}.yaml"
                fmu = self.export(model, "--fmi", version, "--no-sources", "--time", "0.2")
                head, rows = self.rows(model, "--time", "0.2")
                self.assertEqual(fmu.version, int(version))
                self.follow(fmu, rows, [h.split(" [")[0] for h in head[1:]])

    def test_inputs_and_parameters(self):
        for version in ("2", "3"):
            fmu = self.cart("--fmi", version, "--no-sources", "--input", "u:N", "--parameter", "L:m", "--channel", "joint.pin.angle")
            self.assertEqual({n for n in fmu.refs if not n.startswith(("state.", "der("))}, {"u", "L", "joint.pin.angle"} | ({"time"} if version == "3" else set()))
            it = fmu.instance()
            self.assertEqual(it.get("u", "L"), [0.25, 0.4])
            it.start(stop=1.0, values={"L": 0.8, "u": 1.0})
            for k in range(100):
                it.step(k * 0.01, 0.01)
            want = json.loads(self.hooke("run", self.dir / "cart.yaml", "--json", "--set", "L=0.8").stdout)["final"]["joint.pin.angle"]
            self.assertNotAlmostEqual(it.get("joint.pin.angle")[0], want, 4)
            text = (self.dir / "cart.yaml").read_text().replace("input: 0.25", "input: 1.0").replace("L: 0.4", "L: 0.8")
            (self.dir / "other.yaml").write_text(text)
            want = json.loads(self.hooke("run", self.dir / "other.yaml", "--json").stdout)["final"]["joint.pin.angle"]
            self.assertAlmostEqual(it.get("joint.pin.angle")[0], want, 9)
            it.free()

    def test_states_are_saved_restored_and_carried_to_another_instance(self):
        fmu = self.cart("--no-sources")
        names = fmu.outputs
        it, there = fmu.instance(), fmu.instance()
        rng = random.Random(1)
        it.start(stop=50.0)
        k, kept = 0, []
        for _ in range(60):
            it.set(u=rng.uniform(-1, 1))
            state = it.save()
            run = []
            inputs = [rng.uniform(-2, 2) for _ in range(rng.randint(1, 4))]
            for i, u in enumerate(inputs):
                it.set(u=u)
                it.step((k + i) * 0.01, 0.01)
                run.append(bits(it.get(*names)))
            raw = it.serialize(state)
            it.restore(state)
            for i, u in enumerate(inputs):
                it.set(u=u)
                it.step((k + i) * 0.01, 0.01)
                self.assertEqual(bits(it.get(*names)), run[i])
            kept.append((raw, k, inputs, run))
            it.drop(state)
            k += len(inputs)
        for raw, at, inputs, run in rng.sample(kept, 8):
            state = there.deserialize(raw)
            there.restore(state)
            for i, u in enumerate(inputs):
                there.set(u=u)
                there.step((at + i) * 0.01, 0.01)
                self.assertEqual(bits(there.get(*names)), run[i])
            there.drop(state)
        for damage in (b"", raw[:40], b"x" * len(raw), raw[:-1], raw[:-9] + b"123456789"):
            state = there.deserialize(damage)
            with self.assertRaises(Failed):
                there.restore(state)
            there.drop(state)
        it.free()
        there.free()

    events = 0

    def runge_kutta(self, it, n, h):
        """n steps of an instance for model exchange by the method of Runge and Kutta; states and time there"""
        x, t = it.x(), 0.0
        for _ in range(n):
            a = it.rates(t, x)
            b = it.rates(t + h / 2, [p + h / 2 * q for p, q in zip(x, a)])
            d = it.rates(t + h / 2, [p + h / 2 * q for p, q in zip(x, b)])
            e = it.rates(t + h, [p + h * q for p, q in zip(x, d)])
            x = [p + h / 6 * (q + 2 * r + 2 * s + u) for p, q, r, s, u in zip(x, a, b, d, e)]
            t += h
            it.rates(t, x)
            if it.accept():
                self.events, x = self.events + 1, it.x()
        return x, t

    def test_model_exchange_of_a_loop_with_a_circuit(self):
        """voltages that are solved for, work that is summed up, and loops, which are closed again at events"""
        for version in ("2", "3"):
            fmu = self.export(SOURCE / "examples/motor-crank.yaml", "--fmi", version, "--no-sources")
            it = fmu.instance("ModelExchange")
            it.start()
            it.update()
            self.runge_kutta(it, 200, 5e-4)
            want = json.loads(self.hooke("run", SOURCE / "examples/motor-crank.yaml", "--json", "--time", "0.1", "-i", "rk4", "--step", "1e-4").stdout)["final"]
            for name in ("joint.shaft.angle", "node.terminal.voltage", "network.motor.current", "energy.supplied", "energy.dissipated", "joint.shaft.force.x"):
                self.assertAlmostEqual(it.get(name)[0], want[name], delta=2e-5 * max(1.0, abs(want[name])), msg=name)
            it.free()
            # an importer of version 3 tells of completed steps only where the FMU asks for it
            if version == "3":
                self.assertEqual(fmu.xml.find("ModelExchange").get("needsCompletedIntegratorStep"), "true")

    def test_jumps_of_signals_and_saved_states_of_model_exchange(self):
        """the next jump belongs to the state: going back to before it finds it again"""
        path = self.dir / "jump.yaml"
        path.write_text(CART.replace("{input: 0.25}", "{pulse: {to: 2, start: 0.1, width: 0.15}}"))
        fmu = self.export(path, "--no-sources")
        it = fmu.instance("ModelExchange")
        it.start()
        self.assertEqual(it.update().next, 0.1)
        state = it.save()
        for t, after in ((0.1, 0.25), (0.25, 0.0)):
            it.rates(t, it.x())
            it.call("EnterEventMode", it.me)
            info = it.update()
            self.assertEqual((info.next if info.defined else 0.0), after)
        it.restore(state)
        it.rates(0.1, it.x())
        it.call("EnterEventMode", it.me)
        self.assertEqual(it.update().next, 0.25)
        it.free()

    def test_states_without_a_solution_are_discarded(self):
        """an integrator that tries too long a step goes on from where it was"""
        for name in ("double-four-bar", "flexible-pendulum", "motor-crank"):
            fmu = self.export(SOURCE / f"examples/{name}.yaml", "--no-sources")
            it = fmu.instance("ModelExchange")
            it.start()
            it.update()
            x = first = it.x()
            want = it.rates(0.0, x)
            for _ in range(100):  # far too long steps
                try:
                    x = [p + 0.01 * q for p, q in zip(x, it.rates(0.0, x))]
                except Failed:
                    break
            x = first
            for wild in (1e200, math.nan, -1e300):
                with self.assertRaisesRegex(Failed, "GetDerivatives: 2"):
                    it.rates(0.0, [wild] * len(x))
                for g, w in zip(it.rates(0.0, x), want):
                    self.assertAlmostEqual(g, w, delta=1e-9 * (1 + abs(w)), msg=name)
            it.free()

    def test_loops_are_closed_again(self):
        """long steps open a loop: the FMU asks for an event and puts the states right"""
        fmu = self.export(SOURCE / "examples/spatial-four-bar.yaml", "--no-sources", "--channel", "energy.total", "--channel", "energy.balance_error")
        it = fmu.instance("ModelExchange")
        it.start()
        it.update()
        self.events = 0
        first = it.get("energy.total")[0]
        self.runge_kutta(it, 100, 5e-3)
        self.assertGreater(self.events, 3)
        self.assertAlmostEqual(it.get("energy.total")[0], first, delta=1e-4)
        it.free()

    def test_slopes_of_a_steep_law(self):
        """friction that turns over within a hundredth of a millimetre a second"""
        path = self.dir / "steep.yaml"
        path.write_text(CART.replace("value: u", 'value: "-tanh(1e5*joint.rail.velocity)"'))
        fmu = self.export(path, "--no-sources")
        it = fmu.instance("ModelExchange")
        it.start()
        it.update()
        x, at = it.x(), fmu.refs["state.joint.rail.velocity"]
        got = it.slope([r + (1 << 24) for r in fmu.states], [at], [1.0])
        k, h, sides = fmu.states.index(at), 1e-8, []
        for sign in (1, -1):
            sides.append(it.rates(0.0, [p + sign * h * (i == k) for i, p in enumerate(x)]))
        self.assertLess(min(got), -3e4)
        for g, p, q in zip(got, *sides):
            self.assertAlmostEqual(g, (p - q) / (2 * h), delta=1e-5 * (1 + abs(g)))
        it.free()

    def test_model_exchange_and_slopes(self):
        for version in ("2", "3"):
            fmu = self.cart("--fmi", version, "--no-sources")
            it = fmu.instance("ModelExchange")
            it.start()
            it.update()
            self.assertEqual(len(it.x()), 4)
            x, t = self.runge_kutta(it, 250, 2e-3)
            want = json.loads(self.hooke("run", self.dir / "cart.yaml", "--json", "--time", "0.5", "-i", "rk4", "--step", "0.001").stdout)["final"]
            for name in ("joint.pin.angle", "joint.rail.position", "energy.total"):
                self.assertAlmostEqual(it.get(name)[0], want[name], 7)
            # slopes against differences, along a direction in states and inputs
            knowns = fmu.states + [fmu.refs["u"]]
            unknowns = [r + (1 << 24) for r in fmu.states] + [fmu.refs["joint.rail.position"], fmu.refs["energy.total"]]
            seed, x0 = [0.3, -0.2, 0.5, 0.7, 1.1], x + [0.25]
            got = it.slope(unknowns, knowns, seed)
            sides = []
            for sign in (1, -1):
                y = [p + sign * 1e-5 * q for p, q in zip(x0, seed)]
                it.set(u=y[4])
                it.rates(t, y[:4])
                sides.append(it.get(*unknowns))
            for g, p, q in zip(got, *sides):
                self.assertAlmostEqual(g, (p - q) / 2e-5, delta=1e-8 * (1 + abs(g)))
            it.free()

    def test_slopes_of_co_simulation_leave_the_state(self):
        fmu = self.cart("--no-sources", "--channel", "joint.rail.force.x", "--channel", "joint.rail.*")
        it = fmu.instance()
        it.start(stop=1.0)
        it.step(0.0, 0.1)
        before = it.get(*fmu.outputs)
        again = it.slope(fmu.outputs, ["u"], [1.0])
        self.assertEqual(bits(before), bits(it.get(*fmu.outputs)))
        self.assertEqual(dict(zip(fmu.outputs, again))["joint.rail.position"], 0.0)
        it.free()

    def test_bad_use_is_refused_by_name(self):
        fmu = self.cart("--no-sources")
        self.assertFalse(fmu.instance(guid="{another}").me.value)
        it = fmu.instance()
        with self.assertRaises(Failed):
            it.get("joint.pin.angle")
        with self.assertRaises(Failed):
            it.get(12345)
        it.start(stop=0.5)
        with self.assertRaises(Failed):
            it.set(u=math.nan)
        with self.assertRaises(Failed):
            it.step(0.1, 0.1)
        self.assertTrue(any(b"must begin where the last one ended" in text for text in it.log))
        it.free()
        for args, words in ((["--fmi", "1"], "--fmi must be 2 or 3"), (["--channel", "joint.pim.angle"], "joint.pin.angle"),
                            (["--input", "v"], "the model has no input 'v'"), (["-i", "bdf"], "bdf"), (["--kind", "x"], "cs or me")):
            done = self.hooke("export", "fmu", self.dir / "cart.yaml", "-o", self.dir / "y.fmu", *args, code=2)
            self.assertIn(words, done.stderr)
        for name, words in (("external-spring", "external force 'spring'"), ("streamed-spring", "stream 'place'")):
            self.refused("export", "fmu", SOURCE / f"examples/{name}.yaml", "-o", self.dir / "y.fmu", code=3, words=[words, "cannot become an FMU"])
        self.refused("export", "fmu", SOURCE / "examples/door-with-stop.yaml", "-o", self.dir / "y.fmu", "--kind", "me", code=3, words="it has stops")
        self.assertFalse((self.dir / "y.fmu").exists())


if __name__ == "__main__":
    unittest.main()
