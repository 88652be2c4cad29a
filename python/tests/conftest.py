# SPDX-License-Identifier: Apache-2.0
"""Models that the tests share. The package is found by PYTHONPATH, the tree by HOOKE_SOURCE."""
import os
import pathlib
import signal

import pytest

import hooke

SOURCE = pathlib.Path(os.environ.get("HOOKE_SOURCE", pathlib.Path(__file__).resolve().parents[2]))

# a shell that starts the tests in the background has Ctrl-C ignored, and so would they
signal.signal(signal.SIGINT, signal.default_int_handler)

CART = """
hooke: 1
title: Cart with a motor
gravity: [0, 0, -9.81]
parameters: {m: 2.0, c: 0.5, lean: 0.4}
signals: {push: {input: 0.0}}
bodies:
  cart: {mass: m, com: [0, 0, 0]}
  rod: {mass: 0.3, com: [0, 0, -0.5], inertia: {xx: 0.02, yy: 0.02, zz: 0.001}}
joints:
  rail: {type: prismatic, between: [ground, cart], at: [0, 0, 0], axis: x}
  pin: {type: revolute, between: [cart, rod], at: [0, 0, 0], axis: y}
forces:
  motor: {type: joint_force, joint: rail, value: push}
  rub: {type: joint_spring, joint: rail, damping: c}
start: {pin: {angle: lean}}
record: ["joint.*.angle", "joint.*.position", "joint.*.rate", "energy.*"]
run: {time: 2.0, step: 0.002}
"""


@pytest.fixture(scope="session", autouse=True)
def own_cache(tmp_path_factory):
    """compiled models lie in a folder of the tests"""
    os.environ["HOOKE_CACHE"] = str(tmp_path_factory.mktemp("cache"))


@pytest.fixture
def example():
    return lambda name: SOURCE / "examples" / name


@pytest.fixture
def pendulum(example):
    return hooke.load(example("pendulum.yaml"))


@pytest.fixture
def cart():
    return hooke.parse(CART, name="cart.yaml")
