#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Result files are read by others: NetCDF's own tools, HDF5's, h5py and xarray agree with the CSV of the same run, and
copies that the tools make are the same again. What is not installed is skipped, loudly."""
import csv
import json
import os
import re
import shutil
import signal
import subprocess
import sys
import time
import unittest

from support import HOOKE, LIMIT, CommandTest, environment

# a Python that has the modules: the one of the distribution, where another comes first
PYTHONS = [sys.executable, "/usr/bin/python3"]
READ = {
    "netCDF4": "d = netCDF4.Dataset(FILE); x = {n: d[n][:].tolist() for n in d.variables}; g = d['geometry']['poses'][:].shape",
    "h5py": "d = h5py.File(FILE, 'r'); x = {n: d[n][:].tolist() for n in d if n != 'geometry'}; g = d['geometry/poses'].shape\n"
            "assert all(d[n].dims[0][0] == d['time'] for n in x if n != 'time')",
    "xarray": "d = xarray.open_dataset(FILE); x = {n: d[n].values.tolist() for n in d.variables}\n"
              "g = xarray.open_dataset(FILE, group='geometry')['poses'].shape\nassert set(d.sizes) == {'time'}",
}


def python_with(module):
    for python in PYTHONS:
        if shutil.which(python) and subprocess.run([python, "-c", f"import {module}"], capture_output=True, check=False).returncode == 0:
            return python
    return None


class Readers(CommandTest):
    def setUp(self):
        super().setUp()
        self.hooke("run", "pendulum.yaml", "--output", "out.csv")
        with open(self.dir / "out.csv", newline="") as f:
            rows = [r for r in csv.reader(f)]
        self.columns = {"time" if n == "t" else n: [float(r[i]) for r in rows[1:]] for i, n in enumerate(rows[0])}

    def files(self):
        for level in ("0", "1", "9"):
            self.hooke("run", "pendulum.yaml", "--output", f"out{level}.nc", "--compress", level)
            yield f"out{level}.nc"

    def check_module(self, module, name):
        python = python_with(module)
        if not python:
            print(f"*** SKIPPED: no Python with {module} here ***")
            return
        script = f"import json, {module}\nFILE = '{name}'\n{READ[module]}\nprint(json.dumps([x, list(g)]))"
        got = subprocess.run([python, "-c", script], cwd=self.dir, capture_output=True, text=True, check=False)
        self.assertEqual(got.returncode, 0, got.stderr)
        values, shape = json.loads(got.stdout)
        self.assertEqual(values, self.columns)
        self.assertEqual(shape, [len(self.columns["time"]), 1, 7])

    def test_python(self):
        for name in self.files():
            for module in READ:
                with self.subTest(name, module=module):
                    self.check_module(module, name)

    def test_tools(self):
        """ncdump shows what is there; what nccopy and h5repack copy is still a result of Hooke"""
        for name in self.files():
            for tool in (["nccopy"], ["nccopy", "-d", "3"], ["h5repack"], ["h5repack", "-f", "GZIP=4"]):
                if not shutil.which(tool[0]):
                    print(f"*** SKIPPED: {tool[0]} is not installed ***")
                    continue
                (self.dir / "copy.nc").unlink(missing_ok=True)
                subprocess.run([*tool, name, "copy.nc"], cwd=self.dir, check=True)
                heads = [subprocess.run(["ncdump", n], cwd=self.dir, check=True, capture_output=True, text=True).stdout
                         for n in (name, "copy.nc")]
                self.assertEqual(heads[0].split("\n", 1)[1], heads[1].split("\n", 1)[1], tool)
                self.assertIn("joint.pin.angle", self.hooke("plot", "copy.nc", "joint.*").stdout)
                self.assertIn("time = UNLIMITED ; // (101 currently)", heads[0])

    def rows_written(self):
        """whether a part file is there that holds rows"""
        parts = [n for n in os.listdir(self.dir) if n.endswith(".part")]
        head = parts and subprocess.run(["ncdump", "-h", parts[0]], cwd=self.dir, check=False, capture_output=True,
                                        text=True).stdout
        return bool(head) and re.search(r"time = UNLIMITED ; // \([1-9]", head) is not None

    def test_killed(self):
        """a run that is killed leaves its part file, which opens; nothing takes the name of the result"""
        (self.dir / "slow.nc").write_bytes(b"the old one")
        run = subprocess.Popen([HOOKE, "run", "pendulum.yaml", "--time", "1e5", "--step", "1e-3", "--quiet", "--output", "slow.nc"],
                               cwd=self.dir, env=environment())
        end = time.monotonic() + LIMIT
        while not self.rows_written() and time.monotonic() < end:
            time.sleep(0.1)
        run.send_signal(signal.SIGKILL)
        self.assertEqual(run.wait(10), -signal.SIGKILL)
        self.assertEqual((self.dir / "slow.nc").read_bytes(), b"the old one")
        parts = [n for n in os.listdir(self.dir) if n.endswith(".part")]
        self.assertEqual(len(parts), 1)
        self.assertIn("joint.pin.angle", self.hooke("plot", parts[0], "joint.pin.angle").stdout)
        head = subprocess.run(["ncdump", "-h", parts[0]], cwd=self.dir, check=True, capture_output=True, text=True).stdout
        self.assertIn(':status = "unfinished"', head)
        self.hooke("report", parts[0], "--output", "left.html")

    def test_compression(self):
        sizes = [(self.dir / n).stat().st_size for n in self.files()]
        self.assertGreater(sizes[0], sizes[1])
        self.assertGreaterEqual(sizes[1], sizes[2])
        for wrong in ("10", "-1", "x", ""):
            self.refused("run", "pendulum.yaml", "--output", "a.nc", f"--compress={wrong}", words="0 to 9")
        self.refused("run", "pendulum.yaml", "--output", "a.csv", "--compress", "1", words=".nc")
        self.refused("run", "pendulum.yaml", "--compress", "1", words=".nc")


if __name__ == "__main__":
    unittest.main()
