#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What a command loads: HDF5 and the thirty libraries behind it only where a .nc result is read, and words where it is
missing."""
import shutil
import subprocess
import unittest

from support import SHORT, CommandTest

# a machine on which the HDF5 library is not to be had
SHIM = r"""
#define _GNU_SOURCE
#include <dlfcn.h>
#include <string.h>
void *dlopen(const char *name, int flags) {
  void *(*real)(const char *, int);
  *(void **)&real = dlsym(RTLD_NEXT, "dlopen");
  return real(name && strstr(name, "hdf5") ? "/nowhere/libhdf5.so" : name, flags);
}
"""


class Startup(CommandTest):
    def loaded(self, *args):
        """the libraries that a command loads, as the loader tells"""
        self.hooke(*args, env={"LD_DEBUG": "files", "LD_DEBUG_OUTPUT": str(self.dir / "loader")})
        lines = "".join(f.read_text(errors="replace") for f in self.dir.glob("loader.*"))
        for f in self.dir.glob("loader.*"):
            f.unlink()
        return {line.split("calling init:")[1].strip() for line in lines.splitlines() if "calling init:" in line}

    @unittest.skipIf(SHORT, "sanitizers bring libraries of their own")
    def test_hdf5_is_not_loaded_for_results_of_hooke(self):
        version = self.loaded("--version")
        self.assertTrue(any("libhooke" in name for name in version), version)
        self.assertFalse([name for name in version if "hdf5" in name])
        self.assertLess(len(version), 17, version)
        run = self.loaded("run", "pendulum.yaml", "--quiet", "-o", "a.nc", "--report", "a.html")
        self.assertFalse([name for name in run if "hdf5" in name])
        plot = self.loaded("plot", "a.nc")
        self.assertFalse([name for name in plot if "hdf5" in name])

    @unittest.skipIf(SHORT, "preloading does not go with sanitizers")
    @unittest.skipUnless(shutil.which("cc"), "no C compiler")
    def test_without_hdf5(self):
        (self.dir / "shim.c").write_text(SHIM)
        subprocess.run(["cc", "-shared", "-fPIC", "-o", "shim.so", "shim.c", "-ldl"], cwd=self.dir, check=True)
        env = {"LD_PRELOAD": str(self.dir / "shim.so")}
        self.hooke("run", "pendulum.yaml", "--quiet", "-o", "a.nc", env=env)
        self.hooke("plot", "a.nc", env=env)
        # a file of another version of HDF5's own format is not one of Hooke's
        data = bytearray((self.dir / "a.nc").read_bytes())
        data[8] ^= 1
        (self.dir / "foreign.nc").write_bytes(data)
        result = self.hooke("plot", "foreign.nc", code=6, env=env)
        for words in ("cannot read 'foreign.nc'", "the HDF5 library 'libhdf5", "cannot be loaded", "install HDF5"):
            self.assertIn(words, result.stderr)


if __name__ == "__main__":
    unittest.main()
