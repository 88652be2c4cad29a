#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Gains of a controller, tried in many worlds at once: a pendulum on a cart is held upright by the push of its motor. The controller is code of an
array library. Where the worlds are on a card, it reads outputs and writes inputs there (DLPack), and nothing passes through the processor's memory.

    python3 examples/python/feedback.py                            on the processor, with NumPy
    python3 examples/python/feedback.py --way card --library torch on a card, with PyTorch"""
import argparse
import importlib
import time

import numpy as np

import hooke

CART = """
hooke: 1
gravity: [0, 0, -9.81]
signals: {push: {input: 0}}
bodies: {cart: {mass: 1, com: [0, 0, 0]}, pole: {mass: 0.2, com: [0, 0, 0.5], inertia: {diagonal: [0.02, 0.02, 1e-4]}}}
joints:
  rail: {type: prismatic, between: [ground, cart], at: [0, 0, 0], axis: x}
  pin: {type: revolute, between: [cart, pole], at: [0, 0, 0], axis: y}
forces: {motor: {type: joint_force, joint: rail, value: push}}
start: {pin: {angle: 0.1}}
run: {time: 4, step: 0.01, formulation: hybrid, integrator: linearly_implicit}
"""
CHANNELS = ["joint.rail.position", "joint.rail.velocity", "joint.pin.angle", "joint.pin.rate"]


def main():
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--worlds", type=int, default=2000)
    parser.add_argument("--steps", type=int, default=400)
    parser.add_argument("--way", default="any", help="any, library, lanes or card")
    parser.add_argument("--library", default="numpy", help="numpy or torch")
    args = parser.parse_args()
    arrays = importlib.import_module(args.library)
    batch = hooke.Batch(hooke.parse(CART), args.worlds, channels=CHANNELS, way=args.way)
    inputs = batch.tensor("inputs")
    live = arrays.from_dlpack(inputs) if inputs.live else None     # on a card: the batch's own
    rng = np.random.default_rng(1)
    tried = rng.uniform([0, 0, 20, 2], [10, 15, 80, 20], size=(args.worlds, 4))
    gains = arrays.asarray(tried) if live is None else arrays.asarray(tried, device=live.device, dtype=live.dtype)
    cost, begin = 0.0, time.perf_counter()
    for _ in range(args.steps):
        x = arrays.from_dlpack(batch.tensor("outputs"))
        push = (gains * x).sum(-1)
        cost = cost + (x * x).sum(-1) + 1e-4 * push * push
        if live is None:
            batch.set_inputs(np.asarray(push)[:, None])
        else:
            live[:, 0] = push
        batch.step()
    took = time.perf_counter() - begin
    cost = np.where(batch.failed, np.inf, np.asarray(cost.tolist()))
    best = int(np.argmin(cost))
    print(f"{args.worlds} worlds, {args.steps} steps each, {batch!r}: {took:.2f} s")
    print("best gains of " + ", ".join(f"{name} {gain:.2f}" for name, gain in zip(CHANNELS, tried[best])) + f"; cost {cost[best]:.4f}")
    angle = batch.values(best)[0, CHANNELS.index("joint.pin.angle")]
    print(f"the pole of the best world ends at {angle:.1e} rad; {int((np.abs(batch.values()[:, 2]) > 1).sum())} of {args.worlds} have fallen")


if __name__ == "__main__":
    main()
