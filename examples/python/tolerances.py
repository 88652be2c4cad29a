#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What tolerances of a mechanism do to its motion: many worlds of one model, each with its own dimensions, stepped side by side, and a page with
the bands in which a channel lies.

    python3 examples/python/tolerances.py --worlds 2000 --output bands.html

Without a model it is the spatial four-bar, whose crank and rocker are 0.2 mm and 0.6 mm off (standard deviations), and the angle of its rocker.
The links are made as they come, and the loop is closed with each of them."""
import argparse
import html
import pathlib
import time

import numpy as np

import hooke

EXAMPLES = pathlib.Path(__file__).resolve().parents[1]
LEVELS = [(0.0, 100.0, "all"), (5.0, 95.0, "90 of 100"), (25.0, 75.0, "half")]


def arguments():
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("model", nargs="?", default=EXAMPLES / "spatial-four-bar.yaml", type=pathlib.Path)
    parser.add_argument("--vary", action="append", metavar="NAME=DEVIATION", help="a parameter and its standard deviation; repeatable")
    parser.add_argument("--channel", default="joint.pin_B0.angle")
    parser.add_argument("--worlds", type=int, default=2000)
    parser.add_argument("--time", type=float, default=1.0)
    parser.add_argument("--step", type=float, default=0.005)
    parser.add_argument("--rows", type=int, default=100)
    parser.add_argument("--way", default="any", help="any, library or lanes")
    parser.add_argument("--output", type=pathlib.Path, default=pathlib.Path("bands.html"))
    return parser.parse_args()


def band(t, low, high, x, y):
    """a closed line around a band, in pixels"""
    there = [f"{x(a):.1f},{y(b):.1f}" for a, b in zip(t, high)]
    back = [f"{x(a):.1f},{y(b):.1f}" for a, b in zip(t[::-1], low[::-1])]
    return " ".join(there + back)


def page(title, channel, unit, t, values, shares):
    """one page of HTML: bands over time, and how much of the spread at the end each parameter explains"""
    width, height, edge = 900, 420, 60
    least, most = values.min(), values.max()
    span = (most - least) or 1.0

    def x(a):
        return edge + (width - 2 * edge) * a / t[-1]

    def y(b):
        return height - edge - (height - 2 * edge) * (b - least) / span

    shades = ["#d7e3ee", "#9fbcd6", "#5f8fb8"]
    shapes = [f'<polygon points="{band(t, *np.percentile(values, [low, high], axis=0), x, y)}" fill="{shade}"/>'
              for (low, high, _), shade in zip(LEVELS, shades)]
    middle = " ".join(f"{x(a):.1f},{y(b):.1f}" for a, b in zip(t, np.median(values, axis=0)))
    ticks = "".join(f'<text x="{x(a):.0f}" y="{height - edge / 2:.0f}" text-anchor="middle">{a:g} s</text>' for a in np.linspace(0, t[-1], 6))
    ticks += "".join(f'<text x="{edge - 8}" y="{y(b):.0f}" text-anchor="end">{b:.4g}</text>' for b in np.linspace(least, most, 5))
    rows = "".join(f"<tr><td>{html.escape(name)}</td><td>{deviation:.3g}</td><td>{100 * share:.0f} %</td></tr>" for name, deviation, share in shares)
    words = "".join(f'<li><span style="background:{shade}">&emsp;</span> {text}</li>' for (_, _, text), shade in zip(LEVELS, shades))
    return f"""<!DOCTYPE html>
<meta charset="utf-8"><title>{html.escape(title)}</title>
<style>body {{font: 15px sans-serif; max-width: 960px; margin: 2em auto}} text {{font-size: 12px}} td, th {{padding: 2px 12px; text-align: left}}</style>
<h1>{html.escape(title)}</h1>
<p>{html.escape(channel)} [{html.escape(unit)}] of {len(values)} worlds; at the end {np.median(values[:, -1]):.6g}, standard deviation {values[:, -1].std():.3g}.</p>
<svg viewBox="0 0 {width} {height}" role="img">{"".join(shapes)}<polyline points="{middle}" fill="none" stroke="#1b3a57"/>{ticks}</svg>
<ul style="list-style: none">{words}</ul>
<table><tr><th>parameter</th><th>deviation</th><th>share of the variance at the end</th></tr>{rows}</table>
"""


def main():
    args = arguments()
    vary = dict(pair.split("=") for pair in args.vary or ["crank=0.0002", "rocker=0.0006"])
    model = hooke.load(args.model)
    methods = {"step": args.step, "time": args.time, "formulation": "hybrid", "integrator": "trapezoidal"}
    began = time.perf_counter()
    batch = hooke.Batch(model, args.worlds, channels=[args.channel], parameters=list(vary), way=args.way, **methods)
    made = time.perf_counter()
    middle = batch.get_parameters([0])[0]
    deviations = np.array([float(vary[name]) for name in batch.parameters])
    drawn = np.random.default_rng(1).normal(size=(args.worlds, len(deviations)))
    batch.set_parameters(middle + deviations * drawn)
    batch.reset()
    placed = time.perf_counter()
    steps = round(args.time / args.step)
    every = max(1, steps // args.rows)
    values = batch.rollout(steps, every=every)[:, :, 0]
    ended = time.perf_counter()
    good = ~batch.failed & np.isfinite(values).all(axis=1)
    if not good.any():
        raise SystemExit("no world has reached the end")
    values, drawn = values[good], drawn[good]
    t = args.step * every * np.arange(values.shape[1])
    # how much of the spread at the end a straight line through each parameter explains
    end = values[:, -1]
    shares = [(name, deviation, np.corrcoef(drawn[:, i], end)[0, 1] ** 2 if end.std() > 0 else 0.0)
              for i, (name, deviation) in enumerate(zip(batch.parameters, deviations))]
    unit = model.sim(**methods).units.get(args.channel, "")
    args.output.write_text(page(f"Tolerances: {model.title}", args.channel, unit, t, values, shares), encoding="utf-8")
    print(f"{good.sum()} of {args.worlds} worlds, {steps} steps, by {batch.way}{': ' + batch.why if batch.why else ''}")
    print(f"made in {made - began:.2f} s, placed in {placed - made:.2f} s, stepped in {ended - placed:.2f} s")
    for name, deviation, share in shares:
        print(f"  {name}: deviation {deviation:g}, {100 * share:.0f} % of the variance of {args.channel} at the end")
    print(f"  {args.channel}: {end.mean():.6g} with a standard deviation of {end.std():.3g}; page {args.output}")


if __name__ == "__main__":
    main()
