# SPDX-License-Identifier: Apache-2.0
"""A program that is linked with libmbc, as seen from its socket: the buffers, offsets and flags of MBDyn's mbc.h, written down here from that
interface and from nothing of Hooke. Where libmbc reads a block by one call, so does this; what is left over or missing is an error."""
import socket
import struct
import time

ES_REGULAR_DATA, ES_GOTO_NEXT_STEP, ES_ABORT, ES_REGULAR_DATA_AND_GOTO_NEXT_STEP, ES_NEGOTIATION, ES_OK = 2, 4, 5, 6, 7, 8
MBC_NODAL, MBC_REF_NODE, MBC_ACCELS, MBC_LABELS = 0x2, 0x4, 0x8, 0x10
MBC_ROT_NONE, MBC_ROT_THETA, MBC_ROT_MAT, MBC_ROT_EULER_123 = 0x0, 0x100, 0x200, 0x400
ROT = {"none": MBC_ROT_NONE, "vector": MBC_ROT_THETA, "matrix": MBC_ROT_MAT, "euler123": MBC_ROT_EULER_123}
SIZE = {MBC_ROT_THETA: 3, MBC_ROT_MAT: 9, MBC_ROT_EULER_123: 3}


class Libmbc:
    def __init__(self, address, refnode=0, nodes=1, labels=0, rot=MBC_ROT_MAT, accels=0, data_and_next=1, timeout=10):
        """mbc_unix_init or mbc_inet_init, mbc_nodal_init; refnode: 0, or the rotation of the reference node"""
        self.nodes, self.labels, self.rot, self.accels, self.refrot, self.data_and_next = nodes, labels, rot, accels, refnode, data_and_next
        self.flags = MBC_NODAL | rot | (MBC_ACCELS if accels else 0) | (MBC_LABELS if labels else 0)
        if refnode:
            self.flags |= MBC_REF_NODE | refnode << 4
        self.k_label, self.d_label, self.r_k_label, self.r_d_label = [0] * nodes, [0] * nodes, 0, 0
        self.f, self.m, self.r_f, self.r_m = [[0.0] * 3 for _ in range(nodes)], [[0.0] * 3 for _ in range(nodes)], [0.0] * 3, [0.0] * 3
        self.cmd, self.sock = None, self.connect(address, timeout)

    @staticmethod
    def connect(address, timeout):
        until, kind, rest = time.monotonic() + timeout, *address.split(":", 1)
        while True:
            s = socket.socket(socket.AF_UNIX if kind == "unix" else socket.AF_INET, socket.SOCK_STREAM)
            try:
                s.connect(rest if kind == "unix" else (rest.rsplit(":", 1)[0], int(rest.rsplit(":", 1)[1])))
                s.settimeout(timeout)
                return s
            except OSError:
                s.close()
                if time.monotonic() > until:
                    raise
                time.sleep(0.002)

    def recv(self, n):
        """MSG_WAITALL"""
        data = b""
        while len(data) < n:
            more = self.sock.recv(n - len(data))
            if not more:
                raise OSError(f"{len(data)} of {n} bytes")
            data += more
        return data

    def negotiate(self):
        """the command by one call, flags and nodes by another, as libmbc does"""
        self.sock.sendall(bytes([ES_NEGOTIATION]))
        self.sock.sendall(struct.pack("=II", self.flags, self.nodes))
        self.cmd = self.recv(1)[0]
        return self.cmd == ES_OK

    def block(self, n, rot, label):
        """positions, rotations, velocities .. of n nodes in one buffer; a label and nothing for one node, and an even number for several"""
        turn = SIZE.get(rot, 0)
        doubles = [3, turn, 3, 3 if turn else 0, 3 if self.accels else 0, 3 if self.accels and turn else 0]
        pad = 4 * (n + n % 2) if label else 0
        data = self.recv(pad + 8 * n * sum(doubles))
        labels, at, out = list(struct.unpack_from(f"={n}I", data)) if label else [], pad, []
        if label and n % 2:
            assert struct.unpack_from("=I", data, 4 * n)[0] == 0
        for size in doubles:
            flat = struct.unpack_from(f"={size * n}d", data, at)
            at += 8 * size * n
            out.append([list(flat[size * i:size * (i + 1)]) for i in range(n)])
        assert at == len(data)
        return labels, out

    def get_motion(self):
        self.cmd = self.recv(1)[0]
        if self.cmd == ES_ABORT:
            return False
        assert self.cmd in (ES_REGULAR_DATA, ES_REGULAR_DATA_AND_GOTO_NEXT_STEP), self.cmd
        self.reference = None
        if self.refrot:
            labels, quantities = self.block(1, self.refrot, self.labels)
            self.reference = [q[0] for q in quantities]
            self.r_k_label = labels[0] if labels else 0
        self.k_label, self.motion = self.block(self.nodes, self.rot, self.labels)
        return True

    def put_forces(self, last):
        cmd = ES_REGULAR_DATA if not last else ES_REGULAR_DATA_AND_GOTO_NEXT_STEP if self.data_and_next else ES_GOTO_NEXT_STEP
        self.sock.sendall(bytes([cmd]))
        if cmd == ES_GOTO_NEXT_STEP:
            return
        n = self.nodes
        if self.refrot:
            self.sock.sendall((struct.pack("=II", self.r_d_label, 0xdeadbeef) if self.labels else b"") + struct.pack("=6d", *self.r_f, *self.r_m))
        data = struct.pack(f"={n + n % 2}I", *self.d_label, *[0xdeadbeef] * (n % 2)) if self.labels else b""
        data += struct.pack(f"={3 * n}d", *[x for v in self.f for x in v])
        if self.rot:
            data += struct.pack(f"={3 * n}d", *[x for v in self.m for x in v])
        self.sock.sendall(data)

    def close(self):
        self.sock.close()
