# SPDX-License-Identifier: Apache-2.0
"""Environments for reinforcement learning, after gymnasium's interface (pip install hooke-dynamics[gym]).

    from hooke.gym import Arm
    env = Arm()
    observation, info = env.reset(seed=1)
    observation, reward, terminated, truncated, info = env.step(env.action_space.sample())

`Environment` makes one of any model with inputs; `Arm` and `Vehicle` are two that are ready. Importing this module registers them as
"hooke/Arm-v0" and "hooke/Vehicle-v0"."""
from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Optional

import numpy as np

try:
    import gymnasium
    from gymnasium import spaces
except ImportError as error:
    raise ImportError("hooke.gym needs gymnasium: pip install hooke-dynamics[gym]") from error

from ._core import HookeError
from ._model import Model
from ._table import Array

__all__ = ["Arm", "Environment", "Vehicle"]


class Environment(gymnasium.Env[Array, Array]):
    """A model with inputs as an environment.

    Actions are numbers from -1 to 1, one for each input of `actions`, times the size given there; they jump at its beginning and are held for a `period`.
    Observations are the channels `observations`. An episode is truncated after `time` seconds and terminated where the simulation cannot go
    on, with the reason in info["error"]. Subclasses say how it begins, what is seen and what it earns: `begin`, `observe`, `reward`.

    render_mode "html": `render` gives the page of the episode so far, with animation and plots."""

    metadata = {"render_modes": ["html"], "render_fps": 50}

    def __init__(self, model: Model, *, actions: Mapping[str, float], observations: Sequence[str], period: float = 0.02, time: float = 5.0,
                 render_mode: Optional[str] = None, **options: Any) -> None:
        if render_mode not in (None, "html"):
            raise ValueError(f"expected render_mode None or 'html', found {render_mode!r}")
        self.model = model
        self._options: dict[str, Any] = {"time": 1e9, **options}
        self.sim = model.sim(**self._options)
        self.period, self.time, self.render_mode = float(period), float(time), render_mode
        self._inputs = list(actions)
        self._size = np.array([actions[name] for name in self._inputs], dtype=np.float64)
        self._numbers = np.array([self.sim.input._find(name) for name in self._inputs], dtype=np.int32)
        self._channels = list(observations)
        self._read = self.sim.reader(self._channels)
        self._end = 0.0
        self._past: list[tuple[float, list[float]]] = []
        self._start: dict[str, Any] = {}
        self.action_space = spaces.Box(-1.0, 1.0, (len(self._inputs),), np.float64)
        seen = self.observe(self._read())
        self.observation_space = spaces.Box(-np.inf, np.inf, seen.shape, np.float64)

    # --- what a task is

    def begin(self, rng: np.random.Generator) -> dict[str, Any]:
        """Where an episode begins: `coordinates` and `rates` of joints, as of Simulation.restart; `parameters` of the model; `inputs` that
        are no actions."""
        return {}

    def observe(self, channels: Array) -> Array:
        """The observation, from the channels."""
        return channels.copy()

    def reward(self, channels: Array, action: Array) -> float:
        """What a period has earned, from the channels at its end and the action."""
        return 0.0

    # --- gymnasium's interface

    def reset(self, *, seed: Optional[int] = None, options: Optional[dict[str, Any]] = None) -> tuple[Array, dict[str, Any]]:
        """Begin an episode. `options` may have `coordinates`, `rates`, `parameters` and `inputs` instead of random ones."""
        super().reset(seed=seed)
        start = {**self.begin(self.np_random), **(options or {})}
        if start.get("parameters"):
            self.sim = self.model.variant(**start["parameters"]).sim(**self._options)
            self._read = self.sim.reader(self._channels)
        else:
            self.sim.reset()
        for name, value in start.get("inputs", {}).items():
            self.sim.input[name] = value
        if start.get("coordinates") or start.get("rates"):
            self.sim.restart(start.get("coordinates"), start.get("rates"))
        self._start, self._past = start, []
        self._end = self.sim.time + self.time
        return self.observe(self._read()), {}

    def step(self, action: Any) -> tuple[Array, float, bool, bool, dict[str, Any]]:
        """Hold an action for a period."""
        held = np.clip(np.asarray(action, dtype=np.float64), -1.0, 1.0)
        if held.shape != self._size.shape:
            raise ValueError(f"expected {self._size.size} numbers as action, found {held.shape}")
        self._past.append((self.sim.time, (held * self._size).tolist()))
        try:
            self.sim._set_inputs(self._numbers, held * self._size, True)
            self.sim.step_to(self.sim.time + self.period)
        except HookeError as error:
            return self.observe(self._read.values), 0.0, True, False, {"error": str(error)}
        channels = self._read()
        earned = float(self.reward(channels, held))
        return self.observe(channels), earned, False, self.sim.time >= self._end - 1e-9, {"time": self.sim.time}

    def render(self) -> Any:
        """The page of the episode so far, as text; None without a render_mode."""
        if self.render_mode is None or not self._past:
            return None
        return self.episode().run().html()

    def episode(self) -> Model:
        """The episode so far as a model that runs by itself: its actions stand in it as tables over time."""
        source = self.sim.model._source
        if source[0] != "build":
            raise HookeError("an episode can be replayed where the model was made from a dictionary")
        tree: dict[str, Any] = dict(source[1])
        times = [t for t, _ in self._past] + [self.sim.time]
        signals = dict(tree["signals"])
        for i, name in enumerate(self._inputs):
            soon = 1e-4 * self.period  # the start, which may be an equilibrium, is without actions
            rows: list[list[float]] = [[0.0, 0.0], [soon, 0.0]]
            for k, (_, u) in enumerate(self._past):  # two rows at one time are a jump
                rows += [[max(times[k], soon), u[i]], [times[k + 1], u[i]]]
            signals[name] = {"table": rows, "interpolation": "linear"}
        signals.update({name: {"input": float(value)} for name, value in self._start.get("inputs", {}).items()})
        start = {name: dict(value) if isinstance(value, Mapping) else value for name, value in tree.get("start", {}).items()}
        for key, place in (("angle", "coordinates"), ("rate", "rates")):
            for joint, value in (self._start.get(place) or {}).items():
                start.setdefault(joint, {})[key] = float(value)
        return Model({**tree, "signals": signals, "start": start, "run": {**tree["run"], "time": self.sim.time}},
                     set=dict(source[3]), modules=source[4])


class Arm(Environment):
    """An arm of two links in a vertical plane that shall bring its tip to a target and hold it there.

    Actions: torques of shoulder and elbow, over 20 and 8 N*m. Observations (10): sines and cosines of both angles, both rates, the target x and
    z, the way from the tip to the target in x and z. Reward of a period: -distance - 0.01 |action|^2, and 1 more within 2 cm. An episode
    takes 4 s; angles and the target are random."""

    LENGTHS = (0.5, 0.4)

    def __init__(self, *, render_mode: Optional[str] = None, period: float = 0.02, time: float = 4.0, **options: Any) -> None:
        a, b = self.LENGTHS
        self.target = np.array([a, b])
        model = Model(
            title="Arm", planar="xz", gravity=[0, 0, -9.81],
            signals={"shoulder": {"input": 0.0}, "elbow": {"input": 0.0}},
            bodies={"ground": {"shape": {"box": [0.1, 0.1, 0.1], "at": [0, 0, 0]}},
                    "upper": {"mass": 2.0, "com": [a / 2, 0, 0], "inertia": {"yy": 2.0 * a * a / 12},
                              "shape": {"rod": [[0, 0, 0], [a, 0, 0]], "radius": 0.03}},
                    "lower": {"mass": 1.2, "com": [a + b / 2, 0, 0], "inertia": {"yy": 1.2 * b * b / 12},
                              "shape": {"rod": [[a, 0, 0], [a + b, 0, 0]], "radius": 0.025}}},
            joints={"shoulder": {"type": "revolute", "between": ["ground", "upper"], "at": [0, 0, 0], "axis": "-y"},
                    "elbow": {"type": "revolute", "between": ["upper", "lower"], "at": [a, 0, 0], "axis": "-y"}},
            forces={"shoulder_motor": {"type": "joint_torque", "joint": "shoulder", "value": "signal.shoulder"},
                    "elbow_motor": {"type": "joint_torque", "joint": "elbow", "value": "signal.elbow"},
                    "shoulder_oil": {"type": "joint_spring", "joint": "shoulder", "damping": 0.1},
                    "elbow_oil": {"type": "joint_spring", "joint": "elbow", "damping": 0.05}},
            record=["joint.*.angle", "joint.*.rate", "body.*.position", "body.*.orientation"],
            run={"time": 4, "step": 0.005})
        super().__init__(model, actions={"shoulder": 20.0, "elbow": 8.0}, period=period, time=time, render_mode=render_mode,
                         observations=["joint.shoulder.angle", "joint.elbow.angle", "joint.shoulder.rate", "joint.elbow.rate"], **options)

    def begin(self, rng: np.random.Generator) -> dict[str, Any]:
        """Angles all around, a target within reach."""
        angle, reach = rng.uniform(-np.pi, np.pi), rng.uniform(0.3, 0.85)
        self.target = reach * np.array([np.cos(angle), np.sin(angle)])
        return {"coordinates": {"shoulder": rng.uniform(-np.pi, np.pi), "elbow": rng.uniform(-2.5, 2.5)}}

    def tip(self, channels: Array) -> Array:
        """x and z of the tip, m."""
        one, two = channels[0], channels[0] + channels[1]
        a, b = self.LENGTHS
        return np.array([a * np.cos(one) + b * np.cos(two), a * np.sin(one) + b * np.sin(two)])

    def observe(self, channels: Array) -> Array:
        """What the agent sees."""
        return np.concatenate([np.sin(channels[:2]), np.cos(channels[:2]), channels[2:], self.target, self.target - self.tip(channels)])

    def reward(self, channels: Array, action: Array) -> float:
        """Near, and with little effort."""
        distance = float(np.linalg.norm(self.target - self.tip(channels)))
        return -distance - 0.01 * float(action @ action) + (1.0 if distance < 0.02 else 0.0)


class Vehicle(Environment):
    """A car at 10 m/s over five random bumps whose suspension has an actuator at each wheel.

    Actions: forces between body and wheels, front left, front right, rear left, rear right, each over 1500 N. Observations (15): heave, roll and pitch of the body
    from rest and their rates, heave acceleration / 10, strokes and stroke rates of the four suspensions. Reward of a period:
    -(heave acceleration / 5)^2 - roll rate^2 - pitch rate^2 - 0.1 |action|^2 / 4. An episode takes 5 s; places, heights
    and sides of the bumps are random."""

    WHEELS = {"fl": (1.1, 0.7), "fr": (1.1, -0.7), "rl": (-1.3, 0.7), "rr": (-1.3, -0.7)}
    BUMPS = 5

    def __init__(self, *, render_mode: Optional[str] = None, period: float = 0.02, time: float = 5.0, **options: Any) -> None:
        radius, height = 0.3, 0.55
        parameters = {f"{what}{k}": 0.0 for k in range(self.BUMPS) for what in ("at", "left", "right")}
        bodies: dict[str, Any] = {"body": {"mass": 1200, "com": [0, 0, height], "inertia": {"xx": 450, "yy": 1700, "zz": 1900},
                                           "shape": {"box": [3.6, 1.5, 0.5], "at": [-0.1, 0, height + 0.25]}}}
        joints: dict[str, Any] = {"guide": {"type": "general", "between": ["ground", "body"], "at": [0, 0, height], "locked": ["y", "rz"]}}
        forces: dict[str, Any] = {}
        for name, (x, y) in self.WHEELS.items():
            side = "left" if y > 0 else "right"
            road = " + ".join(f"{side}{k}*exp(-((x - at{k})/0.3)^2)" for k in range(self.BUMPS))
            bodies[name] = {"mass": 40, "com": [x, y, radius], "inertia": {"xx": 1, "yy": 1.5, "zz": 1},
                            "shape": {"cylinder": [[x, y - 0.1, radius], [x, y + 0.1, radius]], "radius": radius}}
            joints[name] = {"type": "prismatic", "between": ["body", name], "at": [x, y, radius], "axis": "z"}
            forces[f"spring_{name}"] = {"type": "joint_spring", "joint": name, "stiffness": 25000, "damping": 1200}
            forces[f"actuator_{name}"] = {"type": "joint_force", "joint": name, "value": f"-signal.{name}"}
            forces[f"tyre_{name}"] = {"type": "tyre", "wheel": name, "centre": [x, y, radius], "radius": radius, "stiffness": 200000,
                                      "damping": 500, "road": road}
        model = Model(title="Vehicle with active suspension", gravity=[0, 0, -9.81], parameters=parameters,
                      signals={name: {"input": 0.0} for name in self.WHEELS}, bodies=bodies, joints=joints, forces=forces,
                      start={"equilibrium": True, "body": {"velocity": [10, 0, 0]}},
                      record=["body.*.position", "body.*.orientation", "joint.*.position"], run={"time": 5, "step": 0.005})
        super().__init__(model, actions={name: 1500.0 for name in self.WHEELS}, period=period, time=time, render_mode=render_mode,
                         observations=["body.body.position.z", "body.body.orientation.x", "body.body.orientation.y", "body.body.velocity.z",
                                       "body.body.angular_velocity.x", "body.body.angular_velocity.y", "body.body.acceleration.z",
                                       *(f"joint.{n}.position" for n in self.WHEELS), *(f"joint.{n}.velocity" for n in self.WHEELS)], **options)
        self._rest = self._read().copy()

    _rest: Optional[Array] = None

    def begin(self, rng: np.random.Generator) -> dict[str, Any]:
        """Bumps between 3 and 45 m of up to 6 cm, on either side or both."""
        parameters: dict[str, float] = {}
        for k, x in enumerate(np.sort(rng.uniform(3.0, 45.0, self.BUMPS))):
            height, sides = rng.uniform(0.02, 0.06), rng.integers(1, 4)
            parameters.update({f"at{k}": float(x), f"left{k}": float(height * (sides & 1)), f"right{k}": float(height * (sides >> 1))})
        return {"parameters": parameters}

    def observe(self, channels: Array) -> Array:
        """From rest; small turns are twice the vector of the quaternion."""
        seen = channels - (self._rest if self._rest is not None else 0.0)
        seen[1:3] *= 2.0
        seen[6] /= 10.0
        return seen

    def reward(self, channels: Array, action: Array) -> float:
        """Comfort, and little effort."""
        return -float((channels[6] / 5.0) ** 2 + channels[4] ** 2 + channels[5] ** 2 + 0.025 * action @ action)


for _name, _class in (("Arm", "Arm"), ("Vehicle", "Vehicle")):
    if f"hooke/{_name}-v0" not in gymnasium.registry:
        gymnasium.register(id=f"hooke/{_name}-v0", entry_point=f"hooke.gym:{_class}")
