# SPDX-License-Identifier: Apache-2.0
"""Drives Debian's Chromium through ChromeDriver with nothing but the standard library."""
import base64
import json
import os
import pathlib
import shutil
import socket
import subprocess
import tempfile
import time
import urllib.error
import urllib.request

SOURCE = pathlib.Path(os.environ.get("HOOKE_SOURCE") or pathlib.Path(__file__).resolve().parents[2])
HOOKE = os.environ.get("HOOKE") or str(SOURCE / "build/release/hooke")
SHORT = os.environ.get("HOOKE_TEST_SHORT", "0") not in ("", "0")
ALL = os.environ.get("HOOKE_TEST_ALL", "0") not in ("", "0")  # all of many alike cases, as in `make check-all`


# nothing that works takes as long as this, however busy the machine is
HANGS = 900


def patience():
    """how much longer than on an idle machine things may take: by what waits for each processor now and lately"""
    with open("/proc/loadavg", encoding="ascii") as f:
        fields = f.read().split()
    waiting = max(float(fields[0]), int(fields[3].split("/")[0]) - 1)
    return max(1.0, 2 * waiting / os.cpu_count())


def missing():
    """why there is no browser, or None"""
    for name in ("chromium", "chromedriver"):
        if not shutil.which(name):
            return f"{name} is not installed (Debian packages chromium and chromium-driver)"
    return None


def hooke(*args, code=0):
    result = subprocess.run([HOOKE, *map(str, args)], capture_output=True, text=True, check=False, timeout=HANGS)
    if result.returncode != code:
        raise AssertionError(f"hooke {args}: exit code {result.returncode}\n{result.stdout}{result.stderr}")
    return result.stdout


class Browser:
    """one window of a headless Chromium with a profile of its own and software WebGL"""

    def __init__(self, width=1024, height=640, *more):
        self.folder = tempfile.TemporaryDirectory(prefix="hooke-browser-", ignore_cleanup_errors=True)
        with socket.socket() as s:
            s.bind(("127.0.0.1", 0))
            port = s.getsockname()[1]
        self.log = open(pathlib.Path(self.folder.name) / "driver.log", "wb")
        self.driver = subprocess.Popen(["chromedriver", f"--port={port}"], stdout=self.log, stderr=self.log)
        self.base = f"http://127.0.0.1:{port}"
        options = ["--headless=new", "--no-sandbox", "--use-gl=angle", "--use-angle=swiftshader",
                   "--enable-unsafe-swiftshader", "--disable-quic", "--no-first-run", "--disable-sync",
                   # on a busy machine drawing takes long; it must not be taken for a hang and killed
                   "--disable-gpu-watchdog", "--disable-hang-monitor", "--disable-background-networking", "--disable-component-update", "--hide-scrollbars",
                   "--force-device-scale-factor=1", f"--window-size={width},{height}",
                   f"--user-data-dir={self.folder.name}/profile", *more]
        end = time.monotonic() + HANGS
        while time.monotonic() < end:
            try:
                answer = self.call("POST", "/session", {"capabilities": {"alwaysMatch": {
                    "browserName": "chrome", "goog:chromeOptions": {"args": options},
                    "goog:loggingPrefs": {"browser": "ALL"}}}})
                break
            except (urllib.error.URLError, ConnectionError):
                time.sleep(0.1)
        else:
            raise AssertionError("chromedriver does not answer")
        self.base += f"/session/{answer['sessionId']}"
        self.call("POST", "/timeouts", {"pageLoad": 1000 * HANGS, "script": 1000 * HANGS})

    def call(self, method, path, body=None):
        data = json.dumps(body or {}).encode() if method == "POST" else None
        request = urllib.request.Request(self.base + path, data, {"Content-Type": "application/json"}, method=method)
        try:
            with urllib.request.urlopen(request, timeout=HANGS) as answer:
                return json.load(answer)["value"]
        except urllib.error.HTTPError as e:
            value = json.load(e)["value"]
            raise AssertionError(f"{path}: {value.get('error')}: {value.get('message')}") from None

    def open(self, address):
        self.call("POST", "/url", {"url": str(address)})

    def run(self, script, *args):
        return self.call("POST", "/execute/sync", {"script": script, "args": list(args)})

    def wait(self, script, seconds=30):
        """until the script gives something true; so many seconds are for an idle machine"""
        begin, most = time.monotonic(), 1.0
        while True:
            value = self.run(script)
            if value:
                return value
            most = max(most, patience())
            if time.monotonic() - begin > seconds * most:
                raise AssertionError(f"in {time.monotonic() - begin:.0f} s not true: {script}")
            time.sleep(0.1)

    def keys(self, text):
        """to whatever has the focus"""
        actions = [{"type": t, "value": k} for k in text for t in ("keyDown", "keyUp")]
        self.call("POST", "/actions", {"actions": [{"type": "key", "id": "keys", "actions": actions}]})

    def drag(self, x0, y0, x1, y1):
        move = lambda x, y, ms: {"type": "pointerMove", "x": round(x), "y": round(y), "duration": ms}
        self.call("POST", "/actions", {"actions": [{"type": "pointer", "id": "mouse", "actions": [
            move(x0, y0, 0), {"type": "pointerDown", "button": 0}, move((x0 + x1) / 2, y1, 50), move(x1, y1, 50),
            {"type": "pointerUp", "button": 0}]}]})

    def click(self, x, y):
        self.drag(x, y, x, y)

    def size(self, width, height):
        self.call("POST", "/window/rect", {"width": width, "height": height})

    def screen(self, width=0, height=0):
        """a screen narrower than a window can be, until the next call; 0: the window's own"""
        call = {"cmd": "Emulation.setDeviceMetricsOverride", "params": {"width": width, "height": height, "deviceScaleFactor": 1, "mobile": True}}
        self.call("POST", "/goog/cdp/execute", call if width else {"cmd": "Emulation.clearDeviceMetricsOverride", "params": {}})

    def screenshot(self, path):
        pathlib.Path(path).write_bytes(base64.b64decode(self.call("GET", "/screenshot")))

    def complaints(self):
        """errors and warnings of the console since the last time; what the software WebGL says of
        itself is not the page's"""
        return [e["message"] for e in self.call("POST", "/se/log", {"type": "browser"})
                if e["level"] in ("SEVERE", "WARNING") and "GPU stall" not in e["message"]
                and "software" not in e["message"].lower()]

    def close(self):
        try:
            self.call("DELETE", "")
        except (AssertionError, OSError):
            pass
        self.driver.terminate()
        self.driver.wait(HANGS)
        self.log.close()
        self.folder.cleanup()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()
