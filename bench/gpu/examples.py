# SPDX-License-Identifier: Apache-2.0
"""Examples as batches on a card, in lanes and by the library: are the bits of the card those of the lanes, and how far is the library?

    python3 bench/gpu/examples.py            all, side by side; needs the Python package, a C compiler, the card's driver and NVRTC or nvcc
    python3 bench/gpu/examples.py NAME ...   these

Worlds begin with velocities that differ by up to a tenth, and take 40 steps. The last lines hand numbers of a batch to PyTorch, JAX and CuPy
where they are, and back."""
import concurrent.futures
import pathlib
import subprocess
import sys

import numpy as np

EXAMPLES = pathlib.Path(__file__).resolve().parents[2] / "examples"
WORLDS, STEPS = 64, 40
ROWS = [("double-four-bar", "hybrid", "trapezoidal"), ("double-four-bar", "global", "trapezoidal"), ("double-four-bar", "hybrid", "linearly_implicit"),
        ("andrews", "global", "newmark"), ("andrews", "hybrid", "generalized_alpha"), ("bricard", "hybrid", "trapezoidal"), ("belt-drive", "hybrid", "trapezoidal"),
        ("chaplygin-sleigh", "hybrid", "trapezoidal"), ("crash-sled", "recursive", "linearly_implicit"), ("differential", "hybrid", "newmark"),
        ("double-pendulum-stiff", "recursive", "trapezoidal"), ("five-bar-robot", "hybrid", "trapezoidal"), ("gyroscope", "recursive", "rk4"),
        ("hanging-chain", "hybrid", "trapezoidal"), ("iltis/ramp-and-stairs", "hybrid", "linearly_implicit"), ("iltis/ramp-and-stairs", "hybrid", "trapezoidal"),
        ("mirrored-axle", "hybrid", "trapezoidal"), ("pendulum", "recursive", "rk4"), ("planetary", "hybrid", "trapezoidal"), ("rolling-disc", "hybrid", "linearly_implicit"),
        ("slack-line", "hybrid", "generalized_alpha"), ("slider-crank-stiff", "global", "generalized_alpha"), ("spatial-four-bar", "hybrid", "trapezoidal"),
        ("spinning-body", "recursive", "rk4"), ("three-rrr", "hybrid", "trapezoidal"), ("whipple-bicycle", "hybrid", "generalized_alpha")]


def row(name, formulation, integrator):
    """one line of the table"""
    import hooke
    model = hooke.load(str(EXAMPLES / f"{name}.yaml"))
    results = []
    for way in ("card", "lanes", "library"):
        batch = hooke.Batch(model, WORLDS, way=way, threads=1, formulation=formulation, integrator=integrator)
        if batch.way != way:
            return f"| {name} | {formulation} | {integrator} | {way}: {batch.why} | | |"
        q, v = batch.arrays()
        batch.set_arrays(q, v * (1.0 + 0.1 * np.arange(WORLDS)[:, None] / WORLDS))
        batch.step(STEPS)
        results.append((batch.values(), np.hstack(batch.arrays()), np.asarray(batch.failed)))
    (card, card_x, card_failed), (lanes, lanes_x, lanes_failed), (_, library_x, library_failed) = results
    same = all(np.array_equal(a.view(np.int64), b.view(np.int64)) for a, b in ((card, lanes), (card_x, lanes_x))) and np.array_equal(card_failed, lanes_failed)
    good = ~(card_failed | library_failed)
    off = (np.abs(card_x[good] - library_x[good]).max(initial=0.0)) / max(1.0, np.abs(library_x[good]).max(initial=0.0))
    return (f"| {name} | {formulation} | {integrator} | {'same' if same else 'DIFFER'} | {off:.1e} | {int(card_failed.sum())}"
            f"{'' if np.array_equal(card_failed, library_failed) else ', by the library ' + str(int(library_failed.sum()))} |")


def exchange():
    """numbers that other libraries read and write where they lie"""
    import hooke
    batch = hooke.Batch(hooke.load(str(EXAMPLES / "pendulum.yaml")), 256, way="card", formulation="hybrid", integrator="trapezoidal")
    batch.step(5)
    before = batch.states()
    for name in ("torch", "jax", "cupy"):
        try:
            library = __import__(name)
            if name == "jax":
                library.config.update("jax_enable_x64", True)  # its numbers are floats otherwise
            from_dlpack = library.dlpack.from_dlpack if name == "jax" else library.from_dlpack
            states = from_dlpack(batch.tensor("states"))
            same = np.array_equal(np.asarray(states.tolist() if name != "jax" else states), before)
            text = f"{tuple(states.shape)}, read: {'same' if same else 'DIFFER'}"
            if name != "jax":  # its arrays are not written to
                states[3, 0] = 0.25
                text += f", written: {'seen' if batch.states(3)[0, 0] == 0.25 else 'NOT SEEN'}"
                batch.set_states(before)
            print(f"{name}: {text}")
        except Exception as e:  # whatever a library says is part of the answer
            print(f"{name}: {type(e).__name__}: {e}")


def alone(of):
    """a row in a process of its own"""
    done = subprocess.run([sys.executable, __file__, "-", *of], capture_output=True, text=True)
    return done.stdout.strip() or f"| {of[0]} | {of[1]} | {of[2]} | {done.stderr.strip()[-200:]} | | |"


if __name__ == "__main__":
    if sys.argv[1:2] == ["-"]:
        print(row(*sys.argv[2:5]))
        sys.exit()
    chosen = [r for r in ROWS if not sys.argv[1:] or r[0] in sys.argv[1:]]
    print("| example | formulation | integrator | bits of card and lanes | coordinates and velocities off the library's, of the largest | failed worlds |\n"
          "| --- | --- | --- | --- | --- | --- |", flush=True)
    with concurrent.futures.ThreadPoolExecutor() as pool:
        for line in pool.map(alone, chosen):
            print(line, flush=True)
    exchange()
