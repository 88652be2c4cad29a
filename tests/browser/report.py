#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The page of `hooke report` in a real browser: it loads without complaints, plays, scrubs, ties plots and scene
together, and shows bodies where the result says they are. Without a browser everything is skipped, loudly."""
import cmath
import math
import shutil
import time

from support import SOURCE, hooke
from support_page import PageTest, main

# every kind of coupling that is drawn, a cam, stops and a brake; the first wheel turns by 2 rad in 1 s
DRIVES = """\
hooke: 1
bodies:
  one: {mass: 1, com: [0, 0, 0], inertia: [1, 1, 1]}
  two: {mass: 1, com: [0.5, 0, 0], inertia: [1, 1, 1]}
  ring: {mass: 1, com: [-0.1, 0, 0], inertia: [1, 1, 1]}
  pulley: {mass: 1, com: [0, 0.6, 0], inertia: [1, 1, 1]}
  rod: {mass: 1, com: [0.6, 0, 0], inertia: [1, 1, 1]}
  cam: {mass: 1, com: [0, -1, 0], inertia: [1, 1, 1]}
  follower: {mass: 1, com: [0, -0.88, 0], inertia: [1, 1, 1]}
  cart: {mass: 1, com: [0, -1.5, 0], inertia: [1, 1, 1]}
  flap: {mass: 1, com: [1.2, -1, 0], inertia: [0.1, 0.1, 0.1]}
  dial: {mass: 1, com: [2, 0, 0], inertia: [1, 1, 1]}
  shelf: {mass: 1, com: [0, -1.12, 0], inertia: [1, 1, 1]}
joints:
  j1: {type: revolute, between: [ground, one], at: [0, 0, 0], axis: z, motion: {angle: 2*t}}
  j2: {type: revolute, between: [ground, two], at: [0.5, 0, 0], axis: z}
  j3: {type: revolute, between: [ground, ring], at: [-0.1, 0, 0], axis: -z}
  j4: {type: revolute, between: [ground, pulley], at: [0, 0.6, 0], axis: z}
  j5: {type: prismatic, between: [ground, rod], at: [0.6, 0, 0], axis: y}
  j6: {type: revolute, between: [ground, cam], at: [0, -1, 0], axis: z, motion: {angle: 7*t}}
  j7: {type: prismatic, between: [ground, follower], at: [0, -0.88, 0], axis: y}
  j8: {type: prismatic, between: [ground, cart], at: [0, -1.5, 0], axis: x, limits: {position: [-0.1, 0.2], restitution: 0}}
  j9: {type: revolute, between: [ground, flap], at: [1, -1, 0], axis: z, limits: {angle: [null, 0.8], restitution: 0}}
  j10: {type: revolute, between: [ground, dial], at: [2, 0, 0], axis: z, armature: {inertia: 0.01, ratio: 3}}
  j11: {type: prismatic, between: [ground, shelf], at: [0, -1.12, 0], axis: y}
  gear: {type: gear, joints: [j1, j2], teeth: [20, 30]}
  relation: {type: coupler, joints: [j1, j10], polynomial: [0, 0.5, 0.1]}
  below: {type: flat_cam, between: [cam, shelf], ends: [[0, -1, 0], [0, -1.12, 0]], axis: z, curve: {circle: 0.1, centre: [0, -0.02]}, angle: -pi/2}
  ring: {type: gear, joints: [j2, j3], ratio: -3}
  belt: {type: belt, joints: [j1, j4], radii: [0.1, 0.05], crossed: true}
  rack: {type: rack, joints: [j2, j5], radius: 0.1}
  lift: {type: cam, between: [cam, follower], ends: [[0, -1, 0], [0, -0.88, 0]], axis: z, curve: {polar: "0.1 + 0.02*sin(angle)^2 - 0.02*cos(angle)^2"}, radius: 0.02}
forces:
  push: {type: joint_force, joint: j8, value: 5}
  shut: {type: joint_torque, joint: j9, value: 5}
  pads: {type: brake, joint: j6, friction: {mu: 0.3}, force: 1, radius: 0.05}
run: {time: 1, step: 0.01}
"""


STRIP = """\
hooke: 1
shells:
  strip:
    corners: [[0, 0, 0], [0.4, 0, 0], [0.4, 0.05, 0], [0, 0.05, 0]]
    elements: [8, 1]
    thickness: 0.002
    material: {E: 7e10, nu: 0, density: 2700}
    clamp: {u_start: ground}
    loads: {bend: {on: u_end, moment: [0, -40, 0]}}
start: {equilibrium: true}
run: {time: 1e-4, step: 1e-4}
"""

ROD = """\
hooke: 1
gravity: [0, 0, 0]
flexible: {rod: {data: rod.msh, material: steel, interfaces: [big_end, "small_end@0.12,0,0"], modes: 8}}
joints: {clamp: {type: fixed, between: [ground, rod.big_end], at: [0, 0, 0]}}
forces: {pull: {type: force, on: rod.small_end, at: [0.12, 0, 0], value: [10000, 0, 0]}}
start: {equilibrium: true}
record: [body.rod.small_end.position.x, flexible.rod.*]
run: {time: 0.0002, step: 0.0001}
"""
BEAMS = """\
hooke: 1
gravity: [0, 0, -9.81]
points: {A: [0, 0, 0], B: [1, 0, 0], C: [0, 1, 0], D: [1, 0, 0], E: [0.70710678118654752, 0.70710678118654752, 0], F: [0, -1, 0], G: [1, -1, 0]}
beams:
  arm: {from: A, to: B, elements: 8, up: z, damping: 0.01, clamp: {start: ground}, section: {shape: {rectangle: [0.1, 0.04]}, material: {E: 2e7, density: 1100}}}
  arc: {from: C, through: E, to: D, elements: 4, up: z, clamp: {start: ground}, section: {shape: {tube: [0.04, 0.03]}, material: {E: 2e8, density: 1100}}}
  rope: {from: F, to: G, elements: 8, up: z, element: helicoidal, clamp: {start: ground}, section: {EA: 1e5, GA: 1e5, GJ: 2, EI: [3, 1], mass: 1}}
forces:
  tie: {type: rope, between: [ground, arc.end], ends: [[1, 0, 1], D], EA: 100, length: 5}
  lift: {type: cable, EA: 100, length: 9, over: [{body: ground, at: F}, {body: arm.start, at: A}, {body: rope.end, at: G}]}
record: ["beam.arm.1.moment.y"]
run: {time: 1.2, step: 0.02}
"""


class Report(PageTest):
    def test_loads(self):
        for name in ("four.html", "iltis.html"):
            b = self.load(name)
            ready = self.ready(name)
            print(f"{name}: usable after {ready:.0f} ms, {(self.dir / name).stat().st_size / 1e6:.2f} MB")
            self.assertEqual(b.run("return performance.getEntriesByType('resource').length"), 0, "it asked for something")
        self.assertLess((self.dir / "iltis.html").stat().st_size, 8e6)
        self.assertIn("Iltis", b.run("return document.title"))

    def test_plays_and_pauses(self):
        b = self.load("four.html")
        b.run("document.getElementById('play').click()")
        b.wait("return hooke.player.t > 0.2")
        b.run("document.body.focus()")
        b.keys(" ")
        t = b.run("return hooke.player.t")
        time.sleep(0.3)
        self.assertEqual(b.run("return hooke.player.t"), t)
        # without loop it stops at the end
        b.run("hooke.player.loop = false; hooke.player.seek(9.9); hooke.player.play()")
        b.wait("return !hooke.player.playing")
        self.assertEqual(b.run("return hooke.player.t"), 10)
        # faster
        b.keys("]")
        self.assertEqual(b.run("return hooke.player.speed"), 2)

    def test_bodies_are_where_the_result_says(self):
        b = self.load("four.html")
        # frames are the result in single precision, what is drawn between them is close to it
        frames = b.run("return Array.from(hooke.stage.runs[0].frames.time)")
        for t in (0, 0.37, 2.5, 10):
            self.compare_places(b, min(frames, key=lambda x: abs(x - t)), 2e-6)
            self.compare_places(b, t, 5e-4)

    def test_scrub_by_keyboard(self):
        b = self.load("four.html")
        b.run("document.getElementById('scrub').focus()")
        b.keys("\ue010")  # End
        self.assertAlmostEqual(b.run("return hooke.player.t"), 10, places=6)
        at, row = b.run("return hooke.bodyPosition('left')"), self.row(10)
        self.assertAlmostEqual(at[0], float(row["body.left.position.x"]), delta=2e-6)

    def test_cursor_links_plot_and_scene(self):
        b = self.load("four.html")
        r = self.chart(b)
        b.click(r["x"] + 0.3 * r["w"], r["y"] + 0.5 * r["h"])
        t = b.run("return hooke.player.t")
        self.assertAlmostEqual(t, 3, delta=0.05)
        row = self.row(t)
        self.assertAlmostEqual(b.run("return hooke.bodyPosition('middle')[0]"), float(row["body.middle.position.x"]), delta=0.02)
        # the line stands where the time is, in every chart
        for i in range(b.run("return hooke.plots.charts.length")):
            x = b.run("const c = hooke.plots.charts[arguments[0]]; return c.here.getBoundingClientRect().x - c.plot.over.getBoundingClientRect().x", i)
            self.assertAlmostEqual(x, t / 10 * self.chart(b, i)["w"], delta=2)

    def test_drag_zooms_all(self):
        b = self.load("four.html")
        r = self.chart(b)
        b.drag(r["x"] + 0.2 * r["w"], r["y"] + 40, r["x"] + 0.5 * r["w"], r["y"] + 50)
        for i in range(b.run("return hooke.plots.charts.length")):
            low, high = b.run("const s = hooke.plots.charts[arguments[0]].plot.scales.x; return [s.min, s.max]", i)
            self.assertAlmostEqual(low, 2, delta=0.1)
            self.assertAlmostEqual(high, 5, delta=0.1)
        lines = b.run("return hooke.plots.csv()").splitlines()
        self.assertTrue(lines[0].startswith("t,joint."))
        self.assertAlmostEqual(float(lines[1].split(",")[0]), 2, delta=0.1)
        b.run("document.body.focus()")
        b.keys("z")
        self.assertEqual(b.run("return hooke.plots.charts[0].plot.scales.x.max"), 10)

    def test_channels_by_search(self):
        b = self.load("four.html")
        b.keys("/")
        self.assertEqual(b.run("return document.activeElement.id"), "search")
        b.keys("coupler1 position x")
        b.keys("\ue007\ue00c")  # Enter, Escape
        self.assertIn("body.coupler1.position.x", b.run("return hooke.plots.chosen"))
        b.run("document.getElementById('clear').click()")
        self.assertEqual(b.run("return hooke.plots.charts.length"), 0)

    def test_display(self):
        b = self.load("iltis.html")
        self.assertEqual(b.run("return document.getElementById('follow').value"), "0", "follows the chassis")
        before = b.run("return hooke.stage.controls.target.x")
        b.run("hooke.player.seek(4)")
        self.assertAlmostEqual(b.run("return hooke.stage.controls.target.x") - before, 20, delta=0.5)
        for button in ("camera-front", "camera-side", "camera-top", "camera-iso", "show-joints", "show-xray", "theme", "tab-summary", "tab-model"):
            b.run("document.getElementById(arguments[0]).click()", button)
        b.run("const s = document.getElementById('trails'); s.value = 'all'; s.dispatchEvent(new Event('change'))")
        self.assertEqual(b.run("return hooke.stage.mechanisms[0].trailOf.length"), 13)
        b.run("const a = document.getElementById('arrows'); a.value = '1'; a.dispatchEvent(new Event('input'))")
        self.assertGreater(b.run("return hooke.stage.mechanisms[0].loads.filter((l) => l.shaft.visible).length"), 0)
        self.assertEqual(b.run("return document.documentElement.dataset.theme"), "dark")
        self.assertIn("include: [vehicle.yaml]", b.run("return document.querySelector('#panel-model pre').textContent"))
        self.assertIn("hooke run", b.run("return document.querySelector('#panel-summary pre').textContent"))
        # something is drawn: not one colour
        self.assertGreater(b.run("hooke.stage.render(); const c = document.createElement('canvas'); c.width = c.height = 64;"
                                 "const x = c.getContext('2d'); x.drawImage(hooke.stage.canvas, 0, 0, 64, 64);"
                                 "return new Set(new Uint32Array(x.getImageData(0, 0, 64, 64).data.buffer)).size"), 50)

    def test_compare(self):
        b = self.load("both.html")
        self.assertEqual(b.run("return hooke.stage.mechanisms.length"), 2)
        series = b.run("return hooke.plots.charts[0].series.length")
        b.run("document.querySelectorAll('#runs input')[1].click()")
        self.assertEqual(b.run("return hooke.plots.charts[0].series.length"), series / 2)
        self.assertEqual(b.run("return hooke.stage.mechanisms[1].root.visible"), False)
        self.assertEqual(b.run("return document.querySelectorAll('#panel-summary table')[0].rows[0].cells.length"), 3)
        # a channel has one line in the legend, with its value in each run that is shown
        b.run("document.querySelectorAll('#runs input')[1].click(); hooke.player.seek(2)")
        self.assertEqual(b.run("return hooke.plots.charts[0].series.length"), series)
        shown = b.run("const legend = document.querySelector('.legend'); return [...legend.children].map((li) => [li.querySelector('.name').textContent,"
                      "[...li.querySelectorAll('.value')].map((v) => v.textContent), [...li.querySelectorAll('.sample')].map((s) => s.style.borderTopStyle)])")
        self.assertEqual(len(shown), series / 2)
        for name, values, lines in shown:
            true = b.run("return hooke.data.runs.map((r) => r.byName.get(arguments[0]).at(2))", name)
            self.assertEqual([float(v) for v in values], [float(f"{v:.5g}") for v in true])
            self.assertEqual(lines, ["solid", "dashed"])

    def test_arrows_have_one_scale(self):
        """the same force is as long in both runs; the bar says how large the largest is"""
        model = SOURCE / "examples/hot-damper.yaml"
        for name, more in (("soft", []), ("hard", ["--set", "x0=0.4"])):
            hooke("run", model, *more, "--quiet", "--time", "0.2", "--output", self.dir / f"{name}.nc")
        hooke("report", self.dir / "soft.nc", self.dir / "hard.nc", "--output", self.dir / "arrows.html")
        b = self.load("arrows.html")
        forces = b.run("return hooke.stage.mechanisms.map((m) => { const l = m.loads[0]; return [l.shaft.scale.z + l.head.scale.z, m.run.byName.get('force.damper.force').at(0)]; })")
        (soft, f), (hard, g) = forces
        self.assertAlmostEqual(g / f, 2, places=6)
        self.assertAlmostEqual(hard / soft, 2, places=4)
        self.assertIn("≤ 320 N", b.run("return document.getElementById('tools').textContent"))

    def test_csv(self):
        """a result without units and animation: channels of a kind together, and it says what is missing"""
        hooke("report", self.dir / "four.csv", "--output", self.dir / "csv.html")
        b = self.load("csv.html")
        self.assertIn("nothing to animate", b.run("return document.getElementById('nothing').textContent"))
        kinds = b.run("return hooke.plots.charts.map((c) => [...new Set(c.series.map((s) => s.name.split('.')[0]))])")
        self.assertEqual(kinds, [["joint"], ["energy"]])

    def test_springs_look_like_springs(self):
        """coils and dashpots by what they are; a coil's wire is round whatever its length; they end where they are tied"""
        b = self.example("static-node")
        self.assertEqual(b.run("const m = hooke.stage.mechanisms[0]; return [m.coils.map((c) => c.f.name), m.dashpots.map((d) => d.f.name)]"),
                         [["upper", "lower", "arm", "beside"], ["dash"]])
        # the wire's thickness along the coil's axis: of the tied end, in parts of the coil's radius
        for t in (0, 0.3, 3):
            b.run("hooke.player.seek(arguments[0])", t)
            for length, width, thick in b.run("return hooke.stage.mechanisms[0].coils.map(({mesh}) => { const p = mesh.geometry.attributes.position, n = 8, z = [];"
                                              "const middle = n * Math.round(p.count / n / 2); for (let i = middle; i < middle + n; i++) z.push(p.getZ(i));"
                                              "return [mesh.scale.z, mesh.scale.x, (Math.max(...z) - Math.min(...z)) * mesh.scale.z / mesh.scale.x]; })"):
                self.assertGreater(length, 10 * width)
                self.assertTrue(0.2 < thick < 0.45, thick)
            tip = b.run("const {tube, rod} = hooke.stage.mechanisms[0].dashpots[0]; return [tube, rod].map((m) => [m.position.z, m.position.z - m.scale.z])")
            load, elbow = (b.run("return hooke.bodyPosition(arguments[0])[2]", n) for n in ("damped", "elbow"))
            self.assertAlmostEqual(tip[0][0], elbow, places=6)
            self.assertAlmostEqual(tip[1][1], load, places=6)
            self.assertLess(tip[0][1], tip[1][0])

    def test_muscles_are_spindles(self):
        """they end where they are tied, and are the thicker the shorter"""
        b = self.example("forearm-reflex")
        volumes = []
        for t in (0, 1.4):
            b.run("hooke.player.seek(arguments[0])", t)
            for name, channel, length, width in b.run("const m = hooke.stage.mechanisms[0]; return m.muscles.map(({f, mesh}) => [f.name,"
                                                      "m.run.byName.get(`force.${f.name}.length`).at(hooke.player.t), mesh.scale.z, mesh.scale.x])"):
                self.assertAlmostEqual(length - channel, {"flexor": 0.135, "extensor": 0.12}[name], places=4)
                volumes.append(length * width**2)
        self.assertEqual(len(volumes), 4)
        for a, c in zip(volumes[:2], volumes[2:]):
            self.assertAlmostEqual(c / a, 1, places=6)

    def test_couplings_and_stops_are_drawn(self):
        """teeth stand in gaps, a strap is tangent to its wheels, a roller is on its outline, and what rests on a stop touches its mark,
        at every time: all of them turn with their bodies"""
        b = self.picture_of(DRIVES)
        at = "const m = hooke.stage.mechanisms[0], d = m.drives, world = (mesh, p) => mesh.localToWorld(mesh.position.clone().set(...p)); m.root.updateMatrixWorld(true);"
        self.assertEqual(b.run(at + "return [[...d.wheels.values()].map(({w}) => [w.body, w.radius, w.teeth]), d.straps.length, d.bars.length, d.outlines.length, d.stops.length, d.discs.length]"),
                         [[[0, 0.2, 20], [1, 0.3, 30], [2, 0.9, 90], [0, 0.1, 0], [3, -0.05, 0], [1, 0.1, 20]], 1, 1, 2, 2, 1])
        # a relation is a line between its joints; the rotor behind a joint has no place, so that nothing is drawn there
        self.assertEqual(b.run(at + "const s = m.run.scene, i = s.bodies.findIndex((x) => x.name === 'j10_rotor'), {mesh} = d.links[1]; return [d.links.length, i >= 0, s.shapes.some((x) => x.body === i),"
                                    "s.joints.find((j) => j.name === 'j10_rotor').glyph, Math.round(1e6 * mesh.scale.z), m.bodies[i].children.length]"),
                         [2, True, False, "none", 2000000, 0])
        tips = ("const tips = ({w, mesh}) => { const p = mesh.geometry.attributes.position, c = world(mesh, [0, 0, 0]), out = []; for (let i = 0; i < p.count; i++) {"
                "if (Math.sign(Math.hypot(p.getX(i), p.getY(i)) - w.radius) !== (w.inside ? -1 : 1)) continue; const q = world(mesh, [p.getX(i), p.getY(i), 0]); out.push([q.x, q.y, q.z]); } return out; };")
        first = None
        for t in (0, 0.13, 0.5, 0.77):
            b.run("hooke.player.seek(arguments[0])", t)
            # where the wheels of x = 0 and x = 0.5 meet, [0.2, 0]: how far their teeth are off the middle, as an angle of 2 pi a pitch
            one, two, ring = b.run(at + tips + "return [...d.wheels.values()].slice(0, 3).map(tips)")
            pitch = 0.02 * math.pi
            place = {}
            for name, points, x, r in (("one", one, 0, 0.2), ("two", two, 0.5, 0.3)):
                side = 1 if x == 0 else -1
                angles = [math.atan2(p[1], side * (p[0] - x)) for p in points]
                place[name] = cmath.phase(sum(cmath.exp(2j * math.pi * a * r / pitch) for a in angles))
            apart = (place["one"] - place["two"]) / (2 * math.pi) % 1
            self.assertAlmostEqual(apart, 0.5, delta=1e-3)
            first = place["one"] if first is None else first
            if t == 0.13:
                self.assertGreater(abs(cmath.phase(cmath.exp(1j * (place["one"] - first)))), 0.5, "the wheels turn")
            self.assertLess(min(math.hypot(p[0] - 0.5, p[1]) for p in ring), 0.9)
            # the straight pieces of the strap, crossed: d^2 = l^2 + (r1 + r2)^2
            way = b.run(at + "return d.straps[0].way")
            longest = sorted(math.dist(p[:2], q[:2]) for p, q in zip(way, way[1:] + way[:1]))[-2:]
            for length in longest:
                self.assertAlmostEqual(length, math.sqrt(0.6 ** 2 - 0.15 ** 2), places=6)
            roller, rim = b.run(at + "const {rim, roller, j} = d.outlines.find((o) => o.j.radius > 0), c = world(roller, [0, 0, 0]); return [[c.x, c.y], j.outline.map((p) => { const q = world(rim, [...p, 0]); return [q.x, q.y]; })]")
            self.assertAlmostEqual(min(math.dist(roller, p) for p in rim), 0.02, delta=2e-4)
            # the face of the flat follower touches its curve from below
            face, under = b.run(at + "const {rim, roller, j} = d.outlines.find((o) => o.j.face !== undefined); return [world(roller, [0, 0, 0]).y, Math.min(...j.outline.map((p) => world(rim, [...p, 0]).y))]")
            self.assertAlmostEqual(face, under, delta=1e-5)
        # both rest on their stops at the end
        b.run("hooke.player.seek(1)")
        cart, marks, hand, mark = b.run(at + "const [s, r] = d.stops, list = (v) => [v.x, v.y, v.z], direction = (mesh) => { const o = world(mesh, [0, 0, 0]); return list(world(mesh, [1, 0, 0]).sub(o)); };"
                                        "return [hooke.bodyPosition('cart'), s.marks.map((k) => list(world(k, [0, 0, 0]))), direction(r.hand), direction(r.marks[0])]")
        self.assertAlmostEqual(marks[0][0], -0.1, places=6)
        self.assertAlmostEqual(cart[0], marks[1][0], places=5)
        self.assertEqual(b.run("return hooke.stage.mechanisms[0].drives.stops[1].marks.length"), 1, "one end is open")
        for x, y in zip(hand, mark):
            self.assertAlmostEqual(x, y, places=5)
        # the bar is as long as the way of its wheel, and it moves
        low, high, z0 = b.run(at + "const g = d.bars[0]; g.geometry.computeBoundingBox(); const x = g.geometry.boundingBox; return [x.min.z, x.max.z, world(g, [0, 0, 0]).y]")
        self.assertGreater(high - low, abs(z0))
        self.assertAlmostEqual(abs(z0), 0.1 * 2 * 2 / 3, places=5)

    def test_beams_are_bent_bodies(self):
        """a section along a smooth curve through the nodes, at all times; colours are strains of the surface, with one scale"""
        b = self.picture_of(BEAMS)
        m = "const m = hooke.stage.mechanisms[0], [arm, arc, rope] = m.beams.list, ring = (x, r) => { const p = x.geometry.attributes.position.array, o = 3 * x.per * r; return Array.from({length: x.per}, (_, k) => [p[o + 3 * k], p[o + 3 * k + 1], p[o + 3 * k + 2]]); };"
        mean = lambda points: [sum(p[k] for p in points) / len(points) for k in range(3)]
        self.assertEqual(b.run(m + "return [m.beams.list.map((x) => [x.group.name, x.count]), m.run.scene.shapes.length, m.beams.root.children.length]"),
                         [[["arm", 9], ["arc", 5], ["rope", 9]], 0, 3])
        for t in (0, 0.2):
            b.run("hooke.player.seek(arguments[0])", t)
            for beam, name in enumerate(("arm", "arc", "rope")):
                rings = b.run(m + "const x = m.beams.list[arguments[0]]; return x.rings.map((r, i) => [r.i + r.t, ring(x, i)])", beam)
                for k, points in rings:
                    if k == int(k):
                        place = b.run("return hooke.bodyPosition(arguments[0])", f"{name}.{int(k)}")
                        self.assertLess(math.dist(mean(points), place), 1e-6, (name, k))
                if name == "arc" and t == 0:  # between the nodes too it is the circle that it is drawn as
                    self.assertLess(max(abs(math.hypot(*mean(p)[:2]) - 1) for _, p in rings), 2e-4)
            self.assertGreater(len(rings), 40)
            # ropes are lines through all of their ends
            ends = b.run(m + "return m.ropes.map(({f, pieces}) => [f.name, pieces.length, pieces.at(-1).position.toArray(), pieces.at(-1).scale.z])")
            self.assertEqual([e[:2] for e in ends], [["tie", 1], ["lift", 2]])
            self.assertAlmostEqual(ends[0][3], math.dist([1, 0, 1], b.run("return hooke.bodyPosition('arc.4')")), places=5)
            self.assertAlmostEqual(ends[1][3], math.dist([0, 0, 0], b.run("return hooke.bodyPosition('rope.8')")), places=5)
        # rows of the frames are the channels
        b.run("hooke.player.seek(hooke.player.end)")
        row, channel = b.run(m + "const {time, load, loads} = m.run.frames, k = time.length - 1; return [load[3 * (k * loads + arm.group.load) + 1], m.run.byName.get('beam.arm.1.moment.y').at(time[k])]")
        self.assertAlmostEqual(row, channel, delta=1e-6 * abs(channel))
        # the arm hangs: tension above at the clamp, by M h/(2 EI), compression below; the colours say so
        top, below, tip = b.run(m + "const c = arm.geometry.attributes.color.array, p = arm.geometry.attributes.position.array, at = (f) => { let best = 0; for (let k = 1; k < arm.per; k++) if (f(p[3 * k + 2]) > f(p[3 * best + 2])) best = k; return Array.from(c.slice(3 * best, 3 * best + 3)); };"
                               "const last = 3 * arm.per * (arm.rings.length - 1); return [at((z) => z), at((z) => -z), Array.from(c.slice(last, last + 3))]")
        self.assertGreater(top[0], top[2] + 0.2)
        self.assertGreater(below[2], below[0] + 0.2)
        self.assertLess(max(tip) - min(tip), 0.1)
        words = b.run("return document.getElementById('legend').textContent")
        moment, scale = b.run(m + "return [m.run.byName.get('beam.arm.1.moment.y').at(hooke.player.end), m.beams.mostAt(0)]")
        self.assertIn("strain", words)
        self.assertIn(f"{scale:.3g}".rstrip("0"), words)
        self.assertLess(abs(moment), 1.2 * scale * 2 * 2e7 * 0.1 * 0.04**3 / 12 / 0.04)
        for t in (0, 0.2, 1.2):
            b.run("hooke.player.seek(arguments[0])", t)
            self.assertEqual(b.run("return document.getElementById('legend').textContent"), words, "the scale stays")
        # other quantities, with units, and none
        b.run("const s = document.getElementById('colour'); s.value = 'moment'; s.dispatchEvent(new Event('change'))")
        self.assertIn("N·m", b.run("return document.getElementById('legend').textContent"))
        largest = b.run(m + "const x = m.run.byName.get('beam.arm.1.moment.y').values(); return [Math.max(...x.map(Math.abs)), m.beams.mostAt(0)]")
        self.assertTrue(largest[0] < largest[1] < 2 * largest[0], largest)
        b.run("hooke.stage.colour('')")
        self.assertTrue(b.run("return document.getElementById('legend').hidden"))
        self.assertEqual(b.run("return [...document.getElementById('follow').options].map((o) => o.textContent)"),
                         ["camera stays", "arm.0", "arm.8", "arc.0", "arc.4", "rope.0", "rope.8"], "no nodes between the ends")

    def test_skins_are_coloured_by_stress(self):
        """a rod that is pulled: longer, with the stress of its force over its section along the shank, and one scale"""
        shutil.copy(SOURCE / "examples/connecting-rod/rod.msh", self.dir)
        b = self.picture_of(ROD)
        k = "const k = hooke.stage.mechanisms[0].beams.list[0];"
        self.assertEqual(b.run(k + "return [k.skin.name, k.skin.modes, hooke.stage.mechanisms[0].run.scene.shapes.length, document.getElementById('colour').value]"), ["rod", 14, 0, "stress"])
        way, energy = b.run("const r = hooke.data.runs[0]; return ['body.rod.small_end.position.x', 'flexible.rod.energy'].map((n) => r.byName.get(n).at(0))")
        self.assertAlmostEqual(energy, 0.5 * 1e4 * (way - 0.12), delta=1e-6 * energy)
        places, stress = b.run(k + "const p = k.geometry.attributes.position.array, all = Array.from({length: k.n}, (_, i) => i); return [all.map((i) => [k.rest[3 * i], p[3 * i]]), all.map((i) => k.at(i))]")
        far, near = max(places), min(places)
        self.assertAlmostEqual(far[1] - far[0] - near[1] + near[0], way - 0.12, delta=0.1 * (way - 0.12))
        shank = [s for (x, _), s in zip(places, stress) if 0.05 < x < 0.09]
        self.assertGreater(len(shank), 8)
        self.assertAlmostEqual(sum(shank) / len(shank), 1e4 / (0.014 * 0.008) / 1e6, delta=2)
        top = b.run("return hooke.data.runs[0].byName.get('flexible.rod.stress').at(0)") / 1e6
        self.assertAlmostEqual(max(stress), top, delta=1e-4 * top)
        self.assertIn(f"{top:.3g} MPa", b.run("return document.getElementById('legend').textContent"))
        # a damaged surface breaks the picture, not the page
        b = self.altered("own.html", lambda run: run["scene"]["skins"][0].update(faces=[0, 10**6]))
        self.assertIn("skins[0]", b.run("return hooke.data.runs[0].fault"))

    def test_shells_are_coloured_by_stress(self):
        """a strip that is bent: the surface runs through its nodes, stress 6 M/h^2 and strain are the same everywhere"""
        b = self.picture_of(STRIP)
        k = "const m = hooke.stage.mechanisms[0], k = m.beams.list[0];"
        self.assertEqual(b.run(k + "return [k.plate.name, k.n, k.geometry.index.count, m.run.scene.shapes.length, m.beams.names, document.getElementById('colour').value]"),
                         ["strip", 18, 6 * 8 * 1, 0, ["stress", "stretch", "tension"], "stress"])
        places, stress = b.run(k + "return [Array.from(k.geometry.attributes.position.array), Array.from(k.find(m.beams.by, 0, 0, 0))]")
        for node, name in ((0, "0.0"), (17, "8.1")):
            at = b.run("const r = hooke.data.runs[0]; return ['x', 'y', 'z'].map((c) => r.byName.get(`body.strip.%s.position.${c}`).at(0))" % name)
            self.assertLess(math.dist(places[3 * node:3 * node + 3], at), 1e-6)
        self.assertGreater(places[3 * 17 + 2], 0.01, "it is bent")
        for value in stress:
            self.assertAlmostEqual(value, 60, delta=0.1)
        self.assertIn("60 MPa", b.run("return document.getElementById('legend').textContent"))
        strain, tension = b.run(k + "return ['stretch', 'tension'].map((n) => { hooke.stage.colour(n); return Array.from(k.find(m.beams.by, 0, 0, 0)); })")
        for value in strain:
            self.assertAlmostEqual(value, 60e6 / 7e10, delta=2e-6)
        for value in tension:
            self.assertLess(abs(value), 60, "beside 12e4 N/m of the faces")
        for change in ({"faces": [0, 10**6]}, {"load": 10**6}, {"bodies": [0, 10**6]}):
            b = self.altered("own.html", lambda run, change=change: run["scene"]["plates"][0].update(change))
            self.assertIn("plates[0]", b.run("return hooke.data.runs[0].fault"), change)

    def test_surfaces_bend_with_their_bodies(self):
        """the plate of 5,000 points: its points move by its bodies, the tip with the end of the spar; colours by deflection and force"""
        b = self.example("flapping-surface")
        k = "const m = hooke.stage.mechanisms[0], k = m.beams.list.at(-1), x = () => k.geometry.attributes.position.array;"
        self.assertEqual(b.run(k + "return [k.cover.name, k.n, k.geometry.index.count, m.beams.names.at(-1), m.beams.list.length]"), ["skin", 5000, 6 * 99 * 49, "deflection", 2])
        b.run(k + "hooke.stage.colour('deflection'); hooke.player.seek(0.9)")
        tip = b.run(k + "const p = x(), mid = [24, 25].map((r) => 3 * (100 * r + 99)); return [0, 1, 2].map((c) => 0.5 * (p[mid[0] + c] + p[mid[1] + c]))")
        end = b.run("const r = hooke.data.runs[0]; return ['x', 'y', 'z'].map((c) => r.byName.get(`body.spar.12.position.${c}`).at(0.9))")
        self.assertGreater(abs(end[2]), 0.05)
        self.assertLess(math.dist(tip, end), 1e-3)
        # the deflection is what the root sees: the tip by the poses of both ends, and nothing at the root
        far = b.run(k + "const at = (n) => m.run.scene.bodies.findIndex((s) => s.name === n), r = m.bodies[at('spar.0')], e = m.bodies[at('spar.12')];"
                    "const v = e.position.clone().sub(r.position).applyQuaternion(r.quaternion.clone().conjugate()); return Math.hypot(v.x - 0.5, v.y, v.z)")
        seen = b.run(k + "const out = []; k.relative(undefined, k.now, x()); k.values(m.beams.by, (i, v) => out.push(v)); return [0.5 * (out[2499] + out[2599]), out[0], m.beams.mostAt(0), Math.max(...out)]")
        self.assertAlmostEqual(seen[0], far, delta=2e-3)
        self.assertLess(seen[1], 2e-3)
        self.assertGreaterEqual(seen[2], seen[3])
        self.assertIn("deflection of surfaces", b.run("return document.getElementById('legend').textContent"))
        # normals follow: at the tip they are across the bent plate
        normal = b.run(k + "const q = k.geometry.attributes.normal.array, p = x(), o = 3 * 2499, a = [0, 1, 2].map((c) => p[o + c] - p[o - 3 + c]); return [Math.hypot(...q.slice(o, o + 3)), a[0] * q[o] + a[1] * q[o + 1] + a[2] * q[o + 2]]")
        self.assertAlmostEqual(normal[0], 1, delta=1e-5)
        self.assertLess(abs(normal[1]), 5e-4)
        # forces that another program gives the bodies are carried over by the weights; a damaged surface breaks the picture, not the page

        def forced(run):
            run["scene"]["surfaces"][0]["external"] = "flow"
            for i in range(13):
                run["scene"]["forces"].append({"name": f"flow_{i + 1}", "glyph": "none", "bodies": [i], "ends": [[0, 0, 0, 1, 0, 0, 0]], "load": 0, "arrow": 0})
        b = self.altered("flapping-surface.html", forced)
        self.assertEqual(b.run("return hooke.data.runs[0].fault"), "")
        same = b.run(k + "hooke.stage.colour('carried'); k.forces.fill(0); for (let i = 0; i < 13; i++) k.forces[3 * i] = 3; const out = []; k.values(m.beams.by, (i, v) => out.push(v)); return [Math.min(...out), Math.max(...out)]")
        self.assertAlmostEqual(same[0], 3, delta=1e-6)
        self.assertAlmostEqual(same[1], 3, delta=1e-6)
        for change in ({"faces": [0, 10**6]}, {"counts": [1]}, {"weights": [None]}):
            b = self.altered("flapping-surface.html", lambda run, change=change: run["scene"]["surfaces"][0].update(change))
            self.assertIn("surfaces[0]", b.run("return hooke.data.runs[0].fault"), change)

    def test_long_chain(self):
        """signs of joints and springs are small beside the links, and many springs are drawn with fewer triangles"""
        n = 80
        (self.dir / "chain.yaml").write_text("\n".join(
            ["hooke: 1", "gravity: [0, 0, -9.81]", "bodies:"] + [f"  b{i}: {{mass: 1, com: [{i + 0.5}, 0, 0], inertia: {{diagonal: [0.1, 0.1, 0.1]}}}}" for i in range(n)] +
            ["joints:"] + [f"  j{i}: {{type: revolute, between: [{f'b{i - 1}' if i else 'ground'}, b{i}], at: [{i}, 0, 0], axis: y}}" for i in range(n)] +
            ["forces:"] + [f"  s{i}: {{type: spring_damper, between: [b{i - 1}, b{i}], ends: [[{i - 0.5}, 0, 0.1], [{i + 0.5}, 0, 0.1]], stiffness: 1}}" for i in range(1, n)] +
            ["run: {time: 0.1, step: 0.01, formulation: recursive, integrator: rk4}"]) + "\n")
        hooke("run", self.dir / "chain.yaml", "--quiet", "--report", self.dir / "chain.html")
        b = self.load("chain.html")
        glyph, width = b.run("const m = hooke.stage.mechanisms[0]; return [m.glyph, Math.max(...m.coils.map((c) => c.mesh.scale.x))]")
        self.assertLess(glyph, 0.2)
        self.assertLess(width, 0.3)
        self.assertLess(b.run("return hooke.stage.renderer.info.render.triangles"), 4000 * n)

    def test_camera_finds_the_mechanism(self):
        """x goes to the right and z up in a planar model of x and z; what stays on its floor is seen as a whole, large enough"""
        b = self.example("loosely-drawn")
        (x0, y0), (x1, _), (_, y1) = self.project([0, 0, 0], [1, 0, 0], [0, 0, 1])
        self.assertGreater(x1, x0 + 0.3)
        self.assertGreater(y1, y0 + 0.3)
        b = self.example("rolling-disc")
        self.assertEqual(b.run("return document.getElementById('follow').value"), "-1", "it stays on its floor")
        seen = []
        for t in range(11):
            b.run("hooke.player.seek(arguments[0])", t)
            seen += self.project(b.run("return hooke.bodyPosition('disc')"))
        for x, y in seen:
            self.assertLess(max(abs(x), abs(y)), 0.9)
        floor = self.project(*([x, y, 0] for x in (-1.5, 1.5) for y in (-1.5, 1.5)))
        self.assertTrue(0.75 < max(max(abs(x), abs(y)) for x, y in floor) < 1, floor)

    def test_numbers_on_axes(self):
        """no two marks of an axis read the same, however little a channel changes"""
        b = self.example("rolling-disc")
        for channels in (["body.disc.position.z"], ["energy.total"], ["body.disc.position.x"], ["energy.balance_error"]):
            b.run("hooke.plots.choose(arguments[0])", channels)
            marks = b.run("return hooke.plots.charts[0].plot.axes.map((a) => a._values.filter((v) => v))")
            for labels in marks:
                self.assertGreater(len(labels), 1)
                self.assertEqual(len(set(labels)), len(labels), labels)
                self.assertLess(max(map(len, labels)), 12, labels)

    def test_first_plots(self):
        """what a model is about is plotted at first: of a network the values that change"""
        b = self.example("motor-crank")
        first = b.run("return hooke.plots.chosen")
        for name in ("joint.shaft.angle", "node.terminal.voltage", "node.case.temperature", "energy.total"):
            self.assertIn(name, first)
        for name in ("node.battery.voltage", "node.ambient.temperature"):
            self.assertNotIn(name, first)

    def test_camera_follows_what_a_large_floor_would_lose(self):
        b = self.picture_of("""\
hooke: 1
bodies:
  cart: {mass: 1, com: [0, 0, 0.5], inertia: [1, 1, 1], shape: {box: [1, 0.5, 0.5]}}
  ground: {shape: {box: [80, 80, 0.1], at: [0, 0, -0.05]}}
joints: {rail: {type: prismatic, between: [ground, cart], at: [0, 0, 0], axis: x}}
start: {rail: {velocity: 10}}
run: {time: 3, step: 0.01}
""")
        self.assertEqual(b.run("return document.getElementById('follow').value"), "0")
        b.run("hooke.player.seek(2)")
        (x0, y0), (x1, y1) = self.project([19.5, 0, 0.25], [20.5, 0, 0.75])
        self.assertGreater(abs(x1 - x0) + abs(y1 - y0), 0.3)
        self.assertLess(max(map(abs, (x0, y0, x1, y1))), 1)

    def test_camera_keeps_the_ends_of_springs(self):
        """an end that a body carries far from its shape, all the time"""
        b = self.picture_of("""\
hooke: 1
gravity: [0, 0, -9.81]
bodies: {arm: {mass: 1, com: [0.2, 0, 0], inertia: [0.1, 0.1, 0.1], shape: {sphere: [0.2, 0, 0], radius: 0.05}}}
joints: {pin: {type: revolute, between: [ground, arm], at: [0, 0, 0], axis: y}}
forces: {s: {type: spring_damper, between: [ground, arm], ends: [[0, 0, 0.3], [2, 0, 0]], stiffness: 1, damping: 0}}
run: {time: 2, step: 0.01}
""")
        for t in (0, 0.5, 1, 1.5, 2):
            b.run("hooke.player.seek(arguments[0])", t)
            end = b.run("const m = hooke.stage.mechanisms[0], f = m.run.scene.forces[0]; return m.point(f.bodies[1], f.ends[1], hooke.stage.camera.position.clone()).toArray()")
            (x, y), = self.project(end)
            self.assertLess(max(abs(x), abs(y)), 1, t)

    def test_links_are_as_visible_as_joints(self):
        n = 60
        bodies = "".join(f"  b{i}: {{mass: 0.1, com: [{i}.5, 0, 0]}}\n" for i in range(n))
        joints = "".join(f"  j{i}: {{type: spherical, between: [{f'b{i - 1}' if i else 'ground'}, b{i}], at: [{i}, 0, 0]}}\n" for i in range(n))
        tail = f"  end: {{type: spherical, between: [b{n - 1}, ground], at: [{n}, 0, 0]}}\n"
        self.browser.size(1280, 800)
        b = self.picture_of(f"hooke: 1\nbodies:\n{bodies}joints:\n{joints}{tail}run: {{time: 0.01, step: 0.01}}\n")
        radius, glyph = b.run("const m = hooke.stage.mechanisms[0]; return [m.bodies[5].children[0].geometry.parameters.radiusTop, m.glyph]")
        self.assertGreaterEqual(radius, 0.5 * glyph)
        (x0, y0), (x1, y1) = self.project([5, 0, radius], [5, 0, -radius])
        width, height = b.run("const c = document.getElementById('view'); return [c.clientWidth, c.clientHeight]")
        self.assertGreater(max(abs(x1 - x0) * width / 2, abs(y1 - y0) * height / 2), 2, "pixels across")


if __name__ == "__main__":
    main()
