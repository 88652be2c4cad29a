# SPDX-License-Identifier: Apache-2.0
"""A small importer of FMUs in ctypes: unpacks one, reads its description, calls the functions of FMI 2.0 and 3.0."""
import ctypes as c
import struct
import tempfile
import zipfile
from pathlib import Path
from xml.etree import ElementTree

LOG2 = c.CFUNCTYPE(None, c.c_void_p, c.c_char_p, c.c_int, c.c_char_p, c.c_char_p, c.c_char_p)
LOG3 = c.CFUNCTYPE(None, c.c_void_p, c.c_int, c.c_char_p, c.c_char_p)


CART = """\
hooke: 1
title: Cart and pendulum
parameters: {M: 2, m: 0.5, L: 0.4}
gravity: [0, 0, -9.81]
signals: {u: {input: 0.25}}
bodies:
  cart: {mass: M, com: [0, 0, 0]}
  bob: {mass: m, com: [0, 0, -L], inertia: [1e-3, 1e-3, 1e-3]}
joints:
  rail: {type: prismatic, between: [ground, cart], axis: [1, 0, 0], at: [0, 0, 0]}
  pin: {type: revolute, between: [cart, bob], at: [0, 0, 0], axis: [0, 1, 0]}
forces:
  push: {type: joint_force, joint: rail, value: u}
record: ["joint.*", "energy.total"]
start: {pin: {angle: 0.3}}
run: {time: 1, step: 0.01, integrator: trapezoidal}
"""


class Callbacks2(c.Structure):
    _fields_ = [("logger", LOG2), ("allocate", c.c_void_p), ("free", c.c_void_p), ("finished", c.c_void_p), ("environment", c.c_void_p)]


class Event2(c.Structure):
    _fields_ = [(n, c.c_int) for n in ("again", "terminate", "nominals", "states", "defined")] + [("next", c.c_double)]


def bits(values):
    """doubles as bytes, so that equality is that of bits"""
    return struct.pack(f"{len(values)}d", *values)


class Failed(Exception):
    """a call that did not return fmi2OK or fmi3OK"""


class Fmu:
    """One unpacked FMU; instances are made by `instance`."""

    def __init__(self, path):
        self.dir = tempfile.TemporaryDirectory()
        root = Path(self.dir.name)
        with zipfile.ZipFile(path) as archive:
            archive.extractall(root)
        self.root = root
        self.xml = ElementTree.parse(root / "modelDescription.xml").getroot()
        self.version = int(self.xml.get("fmiVersion")[0])
        kinds = {tag: self.xml.find(tag) for tag in ("CoSimulation", "ModelExchange")}
        self.kinds = [k for k, v in kinds.items() if v is not None]
        self.name = kinds[self.kinds[0]].get("modelIdentifier")
        folder = "linux64" if self.version == 2 else "x86_64-linux"
        self.program = root / "binaries" / folder / f"{self.name}.so"
        self.library = None
        variables = self.xml.find("ModelVariables")
        self.refs = {v.get("name"): int(v.get("valueReference")) for v in variables}
        self.causality = {v.get("name"): v.get("causality") for v in variables}
        self.outputs = [n for n, k in self.causality.items() if k == "output"]
        self.states = sorted(r for n, r in self.refs.items() if n.startswith("state."))
        self.nz = int(self.xml.get("numberOfEventIndicators") or 0)

    def load(self, program=None):
        self.library = c.CDLL(str(program or self.program))

    def close(self):
        self.dir.cleanup()

    def instance(self, kind="CoSimulation", **more):
        if self.library is None:
            self.load()
        return (Instance2 if self.version == 2 else Instance3)(self, kind, **more)


class Instance:
    """What both versions share."""

    prefix = "fmi2"

    def __init__(self, fmu, kind):
        self.fmu, self.kind, self.log = fmu, kind, []

    def call(self, name, *args, result=c.c_int, check=True):
        f = getattr(self.fmu.library, self.prefix + name)
        f.restype = result
        out = f(*args)
        if check and result is c.c_int and out != 0:
            raise Failed(f"{name}: {out} {self.log}")
        return out

    def get(self, *names):
        refs = (c.c_uint * len(names))(*[self.fmu.refs[n] if isinstance(n, str) else n for n in names])
        values = (c.c_double * len(names))()
        self.real("Get", refs, values, len(names))
        return list(values)

    def set(self, **values):
        self.put(values)

    def put(self, values):
        refs = (c.c_uint * len(values))(*[self.fmu.refs[n] for n in values])
        self.real("Set", refs, (c.c_double * len(values))(*values.values()), len(values))

    def put_refs(self, refs, values):
        self.real("Set", (c.c_uint * len(refs))(*refs), (c.c_double * len(values))(*values), len(refs))

    def real(self, what, refs, values, n):
        self.call(f"{what}Real", self.me, refs, c.c_size_t(n), values)

    def save(self):
        state = c.c_void_p()
        self.call(self.names["get"], self.me, c.byref(state))
        return state

    def restore(self, state):
        self.call(self.names["set"], self.me, state)

    def drop(self, state):
        self.call(self.names["free"], self.me, c.byref(state))

    def serialize(self, state):
        size = c.c_size_t()
        self.call(self.names["size"], self.me, state, c.byref(size))
        raw = c.create_string_buffer(size.value)
        self.call(self.names["out"], self.me, state, raw, size)
        return raw.raw

    def deserialize(self, raw):
        state = c.c_void_p()
        self.call(self.names["in"], self.me, raw, c.c_size_t(len(raw)), c.byref(state))
        return state

    def free(self):
        self.call("FreeInstance", self.me, result=None)

    def terminate(self):
        self.call("Terminate", self.me)


class Instance2(Instance):
    names = {"get": "GetFMUstate", "set": "SetFMUstate", "free": "FreeFMUstate", "size": "SerializedFMUstateSize",
             "out": "SerializeFMUstate", "in": "DeSerializeFMUstate"}

    def __init__(self, fmu, kind, guid=None):
        super().__init__(fmu, kind)
        self.logger = LOG2(lambda env, name, status, category, text, *more: self.log.append(more[0] if more else text))
        self.callbacks = Callbacks2(self.logger, None, None, None, None)
        self.me = c.c_void_p(self.call("Instantiate", b"it", 1 if kind == "CoSimulation" else 0, (guid or fmu.xml.get("guid")).encode(),
                                       (fmu.root / "resources").as_uri().encode(), c.byref(self.callbacks), 0, 1, result=c.c_void_p))

    def start(self, stop=None, values=None, t=0.0):
        self.call("SetupExperiment", self.me, 0, c.c_double(0), c.c_double(t), int(stop is not None), c.c_double(stop or 0))
        self.put(values or {})
        self.call("EnterInitializationMode", self.me)
        self.call("ExitInitializationMode", self.me)

    def step(self, t, h, check=True):
        return self.call("DoStep", self.me, c.c_double(t), c.c_double(h), 1, check=check)

    def slope(self, unknowns, knowns, seed):
        out = (c.c_double * len(unknowns))()
        refs = [(c.c_uint * len(x))(*[self.fmu.refs[n] if isinstance(n, str) else n for n in x]) for x in (unknowns, knowns)]
        self.call("GetDirectionalDerivative", self.me, refs[0], c.c_size_t(len(unknowns)), refs[1], c.c_size_t(len(knowns)),
                  (c.c_double * len(seed))(*seed), out)
        return list(out)

    # model exchange
    def update(self):
        info = Event2(again=1)
        while info.again:
            self.call("NewDiscreteStates", self.me, c.byref(info))
        self.call("EnterContinuousTimeMode", self.me)
        return info

    def vector(self, name, n):
        x = (c.c_double * n)()
        self.call(name, self.me, x, c.c_size_t(n))
        return list(x)

    def x(self):
        return self.vector("GetContinuousStates", len(self.fmu.states))

    def rates(self, t, x):
        self.call("SetTime", self.me, c.c_double(t))
        self.call("SetContinuousStates", self.me, (c.c_double * len(x))(*x), c.c_size_t(len(x)))
        return self.vector("GetDerivatives", len(x))

    def accept(self):
        event, end = c.c_int(), c.c_int()
        self.call("CompletedIntegratorStep", self.me, 1, c.byref(event), c.byref(end))
        if event.value:
            self.call("EnterEventMode", self.me)
            self.update()
        return bool(event.value)


class Instance3(Instance):
    prefix = "fmi3"
    names = {"get": "GetFMUState", "set": "SetFMUState", "free": "FreeFMUState", "size": "SerializedFMUStateSize",
             "out": "SerializeFMUState", "in": "DeserializeFMUState"}

    def __init__(self, fmu, kind, guid=None, early=False):
        super().__init__(fmu, kind)
        self.logger = LOG3(lambda env, status, category, text: self.log.append(text))
        token = (guid or fmu.xml.get("instantiationToken")).encode()
        head = (b"it", token, str(fmu.root / "resources").encode(), c.c_bool(False), c.c_bool(True))
        if kind == "CoSimulation":
            self.me = c.c_void_p(self.call("InstantiateCoSimulation", *head, c.c_bool(early), c.c_bool(early), None, c.c_size_t(0), None,
                                           self.logger, None, result=c.c_void_p))
        else:
            self.me = c.c_void_p(self.call("InstantiateModelExchange", *head, None, self.logger, result=c.c_void_p))

    def real(self, what, refs, values, n):
        self.call(f"{what}Float64", self.me, refs, c.c_size_t(n), values, c.c_size_t(n))

    def start(self, stop=None, values=None, t=0.0):
        self.put(values or {})
        self.call("EnterInitializationMode", self.me, c.c_bool(False), c.c_double(0), c.c_double(t), c.c_bool(stop is not None), c.c_double(stop or 0))
        self.call("ExitInitializationMode", self.me)

    def step(self, t, h, check=True):
        event, end, early, last = c.c_bool(), c.c_bool(), c.c_bool(), c.c_double()
        st = self.call("DoStep", self.me, c.c_double(t), c.c_double(h), c.c_bool(True), c.byref(event), c.byref(end), c.byref(early),
                       c.byref(last), check=check)
        self.event, self.early, self.last, self.ended = event.value, early.value, last.value, end.value
        return st

    def slope(self, unknowns, knowns, seed):
        out = (c.c_double * len(unknowns))()
        refs = [(c.c_uint * len(x))(*[self.fmu.refs[n] if isinstance(n, str) else n for n in x]) for x in (unknowns, knowns)]
        self.call("GetDirectionalDerivative", self.me, refs[0], c.c_size_t(len(unknowns)), refs[1], c.c_size_t(len(knowns)),
                  (c.c_double * len(seed))(*seed), c.c_size_t(len(seed)), out, c.c_size_t(len(out)))
        return list(out)

    def update(self):
        flags, after = [c.c_bool(True)] + [c.c_bool() for _ in range(4)], c.c_double()
        while flags[0].value:
            self.call("UpdateDiscreteStates", self.me, *[c.byref(f) for f in flags], c.byref(after))
        self.call("EnterContinuousTimeMode" if self.kind == "ModelExchange" else "EnterStepMode", self.me)
        return Event2(0, flags[1].value, flags[2].value, flags[3].value, flags[4].value, after.value)

    def vector(self, name, n):
        x = (c.c_double * n)()
        self.call(name, self.me, x, c.c_size_t(n))
        return list(x)

    def x(self):
        return self.vector("GetContinuousStates", len(self.fmu.states))

    def rates(self, t, x):
        self.call("SetTime", self.me, c.c_double(t))
        self.call("SetContinuousStates", self.me, (c.c_double * len(x))(*x), c.c_size_t(len(x)))
        return self.vector("GetContinuousStateDerivatives", len(x))

    def accept(self):
        event, end = c.c_bool(), c.c_bool()
        self.call("CompletedIntegratorStep", self.me, c.c_bool(True), c.byref(event), c.byref(end))
        if event.value:
            self.call("EnterEventMode", self.me)
            self.update()
        return event.value
