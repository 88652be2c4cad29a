# SPDX-License-Identifier: Apache-2.0
"""Problems of beams whose exact answers are known, and how far the elements of `beams:` are off. Used by the tests and
by make-results.

Answers are closed forms, series, shooting or matrix exponentials of the equations of a geometrically exact beam, good to
eight digits or more. `Cases(hooke, folder).error(case, element, n)` is the error of a mesh of n intervals between nodes, relative
and with its sign; of the 45-degree bend the distance of the tip over the length.
"""
import json
import math
import pathlib
import subprocess

ELEMENTS = ("three_node", "finite_volume", "helicoidal", "finite_volume_two")

# 45-degree bend at P = 600: the tip, and the length of the bar
BEND, BAR = (47.15043857, 15.68480053, 53.47485879), 25 * math.pi
# 2 x the first zero of the Bessel function J(-1/4)
MICHELL = 4.0125993436
# double root of Beck's equation: the load, and the frequency there
BECK, BECK_OMEGA = 20.0509536190, 11.0155576
# speed -> frequencies of a cantilever out of the plane in which it turns, root on the axis
FLAP = {1: (3.681646814, 22.181011151), 5: (6.4495447486, 25.446080358), 12: (13.170150488, 37.603112331)}
CANTILEVER = (3.501157655, 4.930711664, 21.410079964, 25.650996603, 29.471951178, 57.809990260)
TWISTED = (3.599589110, 9.903884671, 30.905726336, 46.647955581, 49.672941329, 99.307184145)
ARC = (3.832990688, 5.218972548, 18.391067034, 24.858635440, 56.102893479, 76.945469415)
ARCH = (20.689954987, 58.370775324, 76.232814889, 115.037928473)  # the same, clamped at both ends
# MacNeal and Harder's twisted beam: displacement by a force along the axes y and z of the tip
FLEXIBILITY = (5.4293215e-3, 1.7496233e-3)

# case -> what a table says of its errors
TABLE = {"bend": "45-degree bend, tip", "michell": "lateral buckling", "flexibility": "twisted beam, flexibilities", "beck": "Beck's column",
         "cantilever": "cantilever", "twisted": "twisted by 90 degrees", "arc": "quarter of a circle",
         "arch": "the same, both ends clamped", "rotating 12": "rotating, speed 12"}

LINE = """\
hooke: 1
points: {{A: [0, 0, 0], B: [{length}, 0, 0]}}
beams:
  c: {{from: A, to: B, elements: {n}, element: {element}, up: z, {more}clamp: {{start: ground}}, section: {section}}}
"""
SHEAR = "{EA: 4000, GA: 1200, GJ: 0.8, EI: [1, 2], mass: 1, inertia: [3e-3, 1e-3, 2e-3]}"
SLENDER = "{EA: 1e7, GA: 1e7, GJ: 1, EI: [1, 2], mass: 1, inertia: [1e-7, 5e-8, 5e-8]}"
MAC_NEAL = ("{EA: 29e6*1.1*0.32, GA: 5/6*29e6/2.44*1.1*0.32, GJ: 29e6/2.44*0.00981214339, EI: [29e6*1.1*0.32^3/12, "
            "29e6*0.32*1.1^3/12], mass: 1}")


def line(element, n, section, more="", length=1):
    return LINE.format(element=element, n=n, section=section, more=more, length=length)


def cantilever(element, n):
    return line(element, n, SHEAR)


def twisted(element, n):
    return line(element, n, "{EA: 1e4, GA: 4e3, GJ: 2, EI: [1, 16], mass: 1, inertia: [2e-3, 2e-4, 1.8e-3]}", "twist: pi/2, ")


def arc(element, n, ends="start: ground"):
    """a quarter of a circle of length 1 in the plane x-y"""
    text = line(element, n, "{EA: 1e4, GA: 4e3, GJ: 1.5, EI: [1, 2], mass: 1, inertia: [3e-4, 1e-4, 2e-4]}", "through: C, ")
    return text.replace("B: [1, 0, 0]", "B: [2/pi, 2/pi, 0], C: [2/pi*sin(pi/4), 2/pi*(1 - cos(pi/4)), 0]").replace(
        "start: ground", ends)


def arch(element, n):
    return arc(element, n, "start: ground, end: ground")


def rotating(element, n, speed):
    """in axes that turn with it the beam is at rest"""
    return line(element, n, SLENDER.replace("[1, 2]", "[1, 100]")) + f"run: {{frame: {{angular_velocity: [0, 0, {speed}]}}}}\n"


def beck(element, n, load):
    """a force that stays tangent to the beam's end"""
    return line(element, n, SLENDER) + f"forces: {{p: {{type: force, on: c.end, at: B, value: [-{load}, 0, 0], axes: body}}}}\n"


def michell(element, n):
    """a blade of no bending in its own plane under a dead load at its end; the inertia does not matter"""
    return line(element, n, "{EA: 1e6, GA: 1e6, GJ: 1, EI: [1e6, 1], mass: 1, inertia: [1, 100, 1]}") + """\
signals: {P: {input: 3}}
forces: {p: {type: force, on: c.end, at: B, value: [0, 0, -P]}}
statics: {load: P, to: 5, points: 2}
"""


def mac_neal(element, n):
    return line(element, n, MAC_NEAL, "twist: pi/2, ", 12) + f"""\
parameters: {{Y: 0, Z: 0}}
forces: {{p: {{type: force, on: c.end, at: B, value: [0, Y, Z]}}}}
record: ["body.c.{n}.position"]
"""


class Cases:
    def __init__(self, hooke, folder):
        self.hooke, self.file = str(hooke), pathlib.Path(folder) / "beam.yaml"

    def ask(self, verb, text, *more):
        """what the command says about a model"""
        self.file.write_text(text)
        result = subprocess.run([self.hooke, verb, self.file, "--json", *more], capture_output=True, text=True, check=False)
        if result.returncode:
            raise RuntimeError(f"hooke {verb}: {result.stderr}\n{text}")
        return json.loads(result.stdout)

    def eigenvalues(self, text, *more):
        return [complex(m["real"], m["imag"]) for m in self.ask("modes", text, *more)["modes"]]

    def frequencies(self, text, *more):
        return sorted(x.imag for x in self.eigenvalues(text, *more))

    def flutter(self, element, n):
        """(load, frequency) at which two frequencies w1, w2 of Beck's column meet: ((w1^2 - w2^2)/2)^2 is smooth over the load and
        negative beyond"""
        def gap(load):
            # bending in the soft plane: with EI = 1 the pair is below the second frequency of the stiff one at no load
            found = sorted((x**2 for x in self.eigenvalues(beck(element, n, load), "--at", "equilibrium", "-n", "3")), key=lambda x: -x.real)
            pair = [x for x in found if abs(x.imag) > 1e-6][:1]
            if pair:
                return -pair[0].imag**2, pair[0].real
            one, two = found[1:3]
            return ((one - two).real / 2)**2, (one + two).real / 2
        a, b = 19.8, 20.0
        fa = gap(a)[0]
        for _ in range(6):
            fb, middle = gap(b)
            if abs(b - a) < 1e-5:
                break
            a, b, fa = b, b - fb * (b - a) / (fb - fa), fb
        return b, math.sqrt(-middle)

    def buckling(self, element, n):
        points = self.ask("statics", michell(element, n))["points"]
        return [p["load"] for p in points if p.get("bifurcation")]

    def bend(self, element, n):
        text = (pathlib.Path(__file__).resolve().parent.parent / "examples/bent-beam.yaml").read_text().replace(
            "elements: 8", f"elements: {n}\n    element: {element}").replace("start: {equilibrium: true}", "")
        text = text.replace("body.bar.8", f"body.bar.{n}").replace(', "body.bar.4.position"', "")
        final = self.ask("statics", text)["points"][0]["final"]
        return [final[f"body.bar.{n}.position.{x}"] for x in "xyz"]

    def flexibility(self, element, n):
        """of the twisted beam; the axes y and z of its tip are z and -y of its root"""
        load = 1e-3
        for name, axis in (("Z", "z"), ("Y", "y")):
            text = mac_neal(element, n).replace(f"{name}: 0", f"{name}: {load}")
            yield self.ask("statics", text, "--nearest")["points"][0]["final"][f"body.c.{n}.position.{axis}"] / load

    def error(self, case, element, n):
        """one error, or one for each answer of the case"""
        if case == "bend":
            return math.dist(self.bend(element, n), BEND) / BAR
        if case == "michell":
            return self.buckling(element, n)[0] / MICHELL - 1
        if case == "beck":
            return self.flutter(element, n)[0] / BECK - 1
        if case == "flexibility":
            return [x / e - 1 for x, e in zip(self.flexibility(element, n), FLEXIBILITY)]
        if case.startswith("rotating"):
            speed = int(case.split()[1])
            found = self.frequencies(rotating(element, n, speed), "--at", "equilibrium", "-n", "4")
            return [min((x / e - 1 for x in found), key=abs) for e in FLAP[speed]]
        model, expected = {"cantilever": (cantilever, CANTILEVER), "twisted": (twisted, TWISTED), "arc": (arc, ARC),
                           "arch": (arch, ARCH)}[case]
        return [x / e - 1 for x, e in zip(self.frequencies(model(element, n)), expected)]


def table(hooke, folder, meshes=(8, 16)):
    """head and rows: errors of all elements, of two answers where a case has more; frequencies are the lowest ones"""
    cases, rows = Cases(hooke, folder), []
    for case, words in TABLE.items():
        for n in meshes:
            row = [words if n == meshes[0] else "", str(n)]
            for element in ELEMENTS:
                found = cases.error(case, element, n)
                row.append(", ".join(f"{x:.1e}" for x in (found[:2] if isinstance(found, list) else [found])))
            rows.append(row)
    return ["case", "intervals", *(f"`{e}`" for e in ELEMENTS)], rows
