#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""examples/connected-arm: the datagrams that blocks of Simulink see, by a plain socket program; the node of ROS 2 with stand-ins of its
packages; the FMU. Nothing here depends on how fast the machine is."""
import importlib.util
import json
import math
import pathlib
import socket
import struct
import subprocess
import sys
import threading
import types
import unittest
import xml.etree.ElementTree
import zipfile

from streams import free_port
from support import HOOKE, SOURCE, CommandTest, environment, hooke

ARM = SOURCE / "examples/connected-arm"


class Message:
    """any message of ROS: what it is made with, and a header"""

    def __init__(self, **fields):
        self.header = types.SimpleNamespace(stamp=None)
        self.__dict__.update(fields)


class Publisher:
    def __init__(self):
        self.messages = []

    def publish(self, message):
        self.messages.append(message)


class Node:
    """what the example uses of rclpy.node.Node"""

    def __init__(self, name):
        self.name, self.topics, self.subscriptions, self.said = name, {}, {}, []

    def create_publisher(self, kind, topic, _depth):
        self.topics[topic] = (kind, Publisher())
        return self.topics[topic][1]

    def create_subscription(self, kind, topic, callback, _depth):
        self.subscriptions[topic] = (kind, callback)

    def get_logger(self):
        return types.SimpleNamespace(info=self.said.append, warning=self.said.append)


def load_node():
    """the module of the example, with stand-ins of the packages of ROS"""
    modules = {"rclpy": {"init": None, "spin": None}, "rclpy.node": {"Node": Node}}
    for package, names in (("builtin_interfaces", ["Time"]), ("rosgraph_msgs", ["Clock"]), ("sensor_msgs", ["JointState"]), ("std_msgs", ["Float64MultiArray"])):
        modules[package] = {}
        modules[package + ".msg"] = {name: type(name, (Message,), {}) for name in names}
    for name, members in modules.items():
        sys.modules[name] = types.ModuleType(name)
        sys.modules[name].__dict__.update(members)
    sys.path.insert(0, str(SOURCE / "python/hooke"))
    spec = importlib.util.spec_from_file_location("hooke_ros", ARM / "hooke_ros.py")
    module = importlib.util.module_from_spec(spec)
    try:
        spec.loader.exec_module(module)
    finally:
        sys.path.remove(str(SOURCE / "python/hooke"))
        for name in modules:
            del sys.modules[name]
    return module


class Connecting(CommandTest):
    def copy(self, name, ports):
        """an example with ports of its own, and a torque for every step"""
        (self.dir / "mechanism.yaml").write_text((ARM / "mechanism.yaml").read_text())
        text = (ARM / name).read_text().replace("start: [0, 0]", "start: [0, 0], blocking: true")
        for old, new in ports.items():
            self.assertIn(f'"127.0.0.1:{old}"', text)
            text = text.replace(f'"127.0.0.1:{old}"', f'"127.0.0.1:{new}"')
        path = self.dir / name
        path.write_text(text)
        return path

    def start(self, *args):
        process = subprocess.Popen([HOOKE, *map(str, args)], cwd=self.dir, env=environment(), stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        self.addCleanup(process.kill)
        return process

    def finish(self, process):
        out, err = process.communicate(timeout=60)
        self.assertEqual(process.returncode, 0, err)
        return json.loads(out)

    def test_examples_run_alone(self):
        for name in ("ros.yaml", "simulink.yaml", "fmu.yaml"):
            r = hooke("run", ARM / name, "--time", "0.05", "--json")
            self.assertEqual((r.returncode, r.stderr), (0, ""))
            self.assertEqual(json.loads(r.stdout)["grade"], "good")

    def test_datagrams_of_simulink(self):
        state_port, torque_port = free_port(), free_port()
        with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as block:
            block.bind(("127.0.0.1", state_port))
            block.settimeout(20)
            run = self.start("realtime", self.copy("simulink.yaml", {5611: state_port, 5612: torque_port}), "--period", "1e-3", "--time", "2", "--pace", "io", "--policy", "other", "--json")
            # the controller of hooke_link.m, a step of the model for each datagram
            for _ in range(2000):
                data = block.recv(65536)
                self.assertEqual(len(data), 32)  # four doubles and nothing else
                a, b, da, db = struct.unpack("<4d", data)
                far = 9.81 * 0.15 * math.cos(a + b)
                hold = (9.81 * (2 * 0.2 + 0.4) * math.cos(a) + far, far)
                u = (60 * (0.8 - a) - 6 * da + hold[0], 25 * (-0.4 - b) - 2 * db + hold[1])
                block.sendto(struct.pack("<2d", *u), ("127.0.0.1", torque_port))
            told = self.finish(run)
            last = struct.unpack("<4d", block.recv(65536))
        self.assertEqual((told["streams"]["state"]["frames"], told["streams"]["torque"]["frames"], told["streams"]["torque"]["malformed"]), (2001, 2000, 0))
        self.assertEqual(last, tuple(told["final"][f"joint.{j}.{q}"] for q in ("angle", "rate") for j in ("shoulder", "elbow")))
        self.assertAlmostEqual(last[0], 0.8, delta=0.02)
        self.assertAlmostEqual(last[1], -0.4, delta=0.02)

    def test_numbers_in_hooke_link(self):
        """the script for MATLAB has the ports and the controller that are tested here"""
        text = (ARM / "hooke_link.m").read_text()
        for piece in ("5611", "5612", "goal = [0.8, -0.4]", "kp = [60, 25]", "kd = [6, 2]", 'typecast(u, "uint8")', "9.81 * (2 * 0.2 + 1 * 0.4), 9.81 * 1 * 0.15"):
            self.assertIn(piece, text)

    def test_node_of_ros(self):
        module = load_node()
        state_port, torque_port = free_port(), free_port()
        node = module.HookeNode(f"udp:127.0.0.1:{state_port}", f"udp:127.0.0.1:{torque_port}")
        self.addCleanup(node.torque.close)
        self.addCleanup(node.state.close)
        kind, command = node.subscriptions["torques"]
        self.assertEqual(kind.__name__, "Float64MultiArray")
        command(kind(data=[1.0]))
        self.assertIn("1 torques, and there are 2 joints", node.said)
        run = self.start("realtime", self.copy("ros.yaml", {5601: state_port, 5602: torque_port}), "--period", "1e-3", "--time", "0.3", "--pace", "io", "--policy", "other", "--json")
        stop = threading.Event()

        def publish():  # as somebody who publishes all the time
            while not stop.is_set():
                command(kind(data=[8.0, 2.0]))
                stop.wait(2e-4)

        other = threading.Thread(target=publish)
        other.start()
        told = self.finish(run)
        stop.set()
        other.join()
        node.reader.join(20)
        self.assertIn("the simulation has ended", node.said)
        kind, publisher = node.topics["joint_states"]
        self.assertEqual((kind.__name__, len(publisher.messages)), ("JointState", 31))
        last = publisher.messages[-1]
        self.assertEqual(last.name, ["shoulder", "elbow"])
        self.assertEqual(last.position, [told["final"][f"joint.{j}.angle"] for j in last.name])
        self.assertEqual(last.velocity, [told["final"][f"joint.{j}.rate"] for j in last.name])
        self.assertEqual((last.header.stamp.sec, round(last.header.stamp.nanosec / 1e6)), (0, 300))
        self.assertEqual(len(node.topics["clock"][1].messages), 31)
        self.assertEqual((told["final"]["signal.shoulder_torque"], told["final"]["signal.elbow_torque"]), (8.0, 2.0))

    def test_fmu(self):
        fmu = self.dir / "arm.fmu"
        r = hooke("export", "fmu", ARM / "fmu.yaml", "--fmi", "2", "--output", fmu)
        self.assertEqual(r.returncode, 0, r.stderr)
        with zipfile.ZipFile(fmu) as z:
            root = xml.etree.ElementTree.fromstring(z.read("modelDescription.xml"))
        variables = {v.get("name"): v.get("causality") for v in root.iter("ScalarVariable")}
        self.assertEqual([n for n, c in variables.items() if c == "input"], ["shoulder_torque", "elbow_torque"])
        self.assertEqual(variables["joint.shoulder.angle"], "output")


if __name__ == "__main__":
    unittest.main()
