#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""A controller that looks ahead: a vehicle with active struts drives over a ramp and down stairs. In each period the controller puts its present state
into thousands of worlds, tries another course of the struts' forces in each, for the next half second, and takes a mean of the courses, weighted
by how calm the chassis was (sampling, with weights exp(-cost)).

    python3 examples/python/look_ahead.py --worlds 4096

Says how long a period takes here, and how the chassis moved with and without the controller."""
import argparse
import pathlib
import time

import numpy as np

import hooke

ILTIS = pathlib.Path(__file__).resolve().parents[1] / "iltis"
STEP = 0.01
METHODS = {"step": STEP, "formulation": "hybrid", "integrator": "linearly_implicit"}
SEEN = ["body.chassis.velocity.z", "body.chassis.angular_velocity.y"]


def arguments():
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--worlds", type=int, default=4096)
    parser.add_argument("--ahead", type=int, default=50, help="steps of 0.01 s that it looks ahead")
    parser.add_argument("--period", type=int, default=10, help="steps between two looks")
    parser.add_argument("--begin", type=float, default=1.0, help="time at which the controller begins, s")
    parser.add_argument("--periods", type=int, default=20)
    parser.add_argument("--force", type=float, default=1500.0, help="standard deviation of the forces that are tried, N")
    parser.add_argument("--way", default="any", help="any, library or lanes")
    return parser.parse_args()


def vehicle():
    """the Iltis with a force beside each spring: two inputs, one for each axle"""
    text = (ILTIS / "ramp-and-stairs.yaml").read_text()
    struts = "".join(f"  {corner}_strut: {{type: force, on: {corner}.carrier, value: [0, 0, -{corner.split('_')[0]}], reaction_on: chassis}}\n"
                     for corner in ("front_left", "front_right", "rear_left", "rear_right"))
    text = text.replace("signals:\n", "signals:\n  front: {input: 0}\n  rear: {input: 0}\n").replace("start:\n", f"forces:\n{struts}\nstart:\n", 1)
    return hooke.parse(text, name=str(ILTIS / "active-struts.yaml"))


def cost(values, forces, scale):
    """of each course: how the chassis bounces and pitches, and a little for the forces"""
    bounce, pitch = values[:, :, 0], values[:, :, 1]
    work = (forces / scale) ** 2
    return (bounce ** 2).mean(axis=1) + (2.0 * pitch ** 2).mean(axis=1) + 1e-3 * work.mean(axis=(1, 2))


def smooth_noise(rng, worlds, steps, scale):
    """courses of two forces, that change every tenth of a second"""
    knots = rng.normal(scale=scale, size=(worlds, -(-steps // 10), 2))
    return np.repeat(knots, 10, axis=1)[:, :steps]


def main():
    args = arguments()
    model = vehicle()
    end = args.begin + (args.periods * args.period + 2) * STEP
    plant, left = model.sim(time=end, **METHODS), model.sim(time=end, **METHODS)
    began = time.perf_counter()
    batch = hooke.Batch(model, args.worlds, channels=SEEN, way=args.way, time=1e6 * STEP, **METHODS)
    print(f"{args.worlds} worlds, {args.ahead} steps ahead, by {batch.way}{': ' + batch.why if batch.why else ''}; "
          f"made in {time.perf_counter() - began:.1f} s")
    rng = np.random.default_rng(1)
    plan = np.zeros((args.ahead, 2))
    took, worked, motion = [], [], {"left alone": [], "controlled": []}
    for s in (plant, left):
        s.step_to(args.begin)
    for _ in range(args.periods):
        begin, busy = time.perf_counter(), time.process_time()
        batch.set_states(plant.state())
        courses = plan + smooth_noise(rng, args.worlds, args.ahead, args.force)
        courses[0] = plan
        seen = batch.rollout(inputs=courses, every=2)
        costs = np.where(np.isfinite(seen).all(axis=(1, 2)), cost(seen, courses, args.force), np.inf)
        if np.isfinite(costs).any():
            spread = costs[np.isfinite(costs)].std() or 1.0
            weights = np.exp(-(costs - costs.min()) / (0.1 * spread))
            plan = np.tensordot(weights / weights.sum(), courses, axes=1)
        took.append(time.perf_counter() - begin)
        worked.append(time.process_time() - busy)
        for k in range(args.period):
            plant.input["front"], plant.input["rear"] = plan[k]
            for s, name in ((plant, "controlled"), (left, "left alone")):
                s.step()
                motion[name].append([s[c] for c in SEEN])
        plan = np.concatenate([plan[args.period:], np.zeros((args.period, 2))])
    steps = args.worlds * args.ahead
    print(f"a period of {args.period * STEP:g} s takes {np.median(took):.3f} s, at best {min(took):.3f} s, on {batch.threads} threads; "
          f"of a processor {min(worked):.3f} s, {1e6 * min(worked) / steps:.2f} us a step of a world")
    size = {name: np.sqrt((np.array(rows) ** 2).mean(axis=0)) for name, rows in motion.items()}
    for name, (bounce, pitch) in size.items():
        print(f"  {name}: bounce {bounce:.4f} m/s, pitch {pitch:.4f} rad/s (rms)")
    print(f"calmer: {size['left alone'][0] > size['controlled'][0]}")


if __name__ == "__main__":
    main()
