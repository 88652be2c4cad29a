#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""A node of ROS 2 beside a model of Hooke: the states of its joints go out as messages, torques come in.

    python3 hooke_ros.py &
    hooke realtime ros.yaml --period 1e-3
    ros2 topic echo /joint_states
    ros2 topic pub -r 100 /torques std_msgs/msg/Float64MultiArray '{data: [8.0, 2.0]}'

publishes   /joint_states   sensor_msgs/JointState        names, angles and rates, stamped with the time of the simulation
            /clock          rosgraph_msgs/Clock           that time, for nodes with use_sim_time
receives    /torques        std_msgs/Float64MultiArray    a number for each joint, sent on to the model as it comes

hooke.stream is all that it needs of Hooke: one file of plain Python, which may be copied beside this one.
"""
import threading

import rclpy
from builtin_interfaces.msg import Time
from rclpy.node import Node
from rosgraph_msgs.msg import Clock
from sensor_msgs.msg import JointState
from std_msgs.msg import Float64MultiArray

try:
    from hooke import stream
except ImportError:
    import stream

JOINTS = ["shoulder", "elbow"]  # as the streams of the model have them: angles, then rates


class HookeNode(Node):
    def __init__(self, state="udp:127.0.0.1:5601", torque="udp:127.0.0.1:5602"):
        super().__init__("hooke")
        self.states = self.create_publisher(JointState, "joint_states", 10)
        self.clock = self.create_publisher(Clock, "clock", 10)
        self.create_subscription(Float64MultiArray, "torques", self.send_torques, 10)
        self.state = stream.listen(state, timeout=None)  # before the model sends
        self.torque = stream.connect(torque)
        self.reader = threading.Thread(target=self.read_states, daemon=True)
        self.reader.start()

    def send_torques(self, message):
        if len(message.data) != len(JOINTS):
            self.get_logger().warning(f"{len(message.data)} torques, and there are {len(JOINTS)} joints")
            return
        self.torque.send(0.0, list(message.data))

    def read_states(self):
        """until the model ends"""
        n = len(JOINTS)
        for t, values in self.state:
            stamp = Time(sec=int(t), nanosec=int(1e9 * (t - int(t))))
            message = JointState(name=JOINTS, position=list(values[:n]), velocity=list(values[n:]))
            message.header.stamp = stamp
            self.clock.publish(Clock(clock=stamp))
            self.states.publish(message)
        self.get_logger().info("the simulation has ended")


def main():
    rclpy.init()
    node = HookeNode()
    try:
        rclpy.spin(node)
    except KeyboardInterrupt:
        pass
    node.state.close()
    node.torque.close()
    node.destroy_node()


if __name__ == "__main__":
    main()
