# SPDX-License-Identifier: Apache-2.0
"""The other side of `external:` forces of a model, in plain Python: no library is needed beside this file.

    import hooke.peer

    with hooke.peer.connect("unix:/tmp/fsi", nodes=1) as peer:
        for motion in peer:                       # until the run ends
            x, y, z = motion.position[0]
            peer.answer([[-200 * x, 0, 0]], converged=True)

Addresses: `unix:PATH`, `tcp:HOST:PORT`. docs/cosimulation.md describes the bytes, which are those of MBDyn's peer library.
"""
from __future__ import annotations

import socket
import struct
import time
from typing import Iterator, NamedTuple, Sequence

DATA, NEXT, ABORT, DATA_AND_NEXT, NEGOTIATE, AGREED, AGAIN = 2, 4, 5, 6, 7, 8, 9
NODAL, REFERENCE, ACCELERATIONS, LABELS = 0x2, 0x4, 0x8, 0x10
ORIENTATIONS = {"none": (0x0, 0), "vector": (0x100, 3), "matrix": (0x200, 9), "euler123": (0x400, 3)}


class PeerError(OSError):
    """The other side is not there, has gone, or says something else than expected."""


class Reference(NamedTuple):
    """Motion of the reference node, in the axes of the world; tuples that were not asked for are empty."""
    label: int
    position: tuple[float, ...]
    orientation: tuple[float, ...]
    velocity: tuple[float, ...]
    angular_velocity: tuple[float, ...]
    acceleration: tuple[float, ...]
    angular_acceleration: tuple[float, ...]


class Motion(NamedTuple):
    """Of all nodes, in their order; lists that were not asked for are empty. With a reference node all is as seen from there, in its axes."""
    position: list[tuple[float, ...]]
    orientation: list[tuple[float, ...]]
    velocity: list[tuple[float, ...]]
    angular_velocity: list[tuple[float, ...]]
    acceleration: list[tuple[float, ...]]
    angular_acceleration: list[tuple[float, ...]]
    iteration: int  #: of the step, from 0; a step ends with an answer that is converged
    time: float  #: end of the step, where steps are announced (`repeats: true`), else NaN
    step: float  #: its length, likewise
    again: bool  #: what was tried from the same beginning is void
    labels: tuple[int, ...] = ()  #: of the nodes, where they were asked for
    reference: Reference | None = None  #: the reference node, where it was asked for


def _sizes(size: int, accelerations: bool) -> list[int]:
    """numbers of a node: position, orientation, velocity .."""
    turns = 3 if size else 0
    return [3, size, 3, turns, 3 if accelerations else 0, turns if accelerations else 0]


class Peer:
    """A conversation with a running model. Made by connect()."""

    def __init__(self, sock: socket.socket, nodes: int, orientation: str, accelerations: bool, labels: bool = False, reference: str | None = None) -> None:
        flag, size = ORIENTATIONS[orientation]
        seen, turn = ORIENTATIONS[reference or "none"]
        if reference is not None and not turn:
            raise ValueError("a reference node has an orientation: matrix, vector or euler123")
        self._socket, self.nodes, self._turns, self._with_labels = sock, nodes, bool(size), labels
        self._layout = _sizes(size, accelerations)
        self._reference = _sizes(turn, accelerations) if turn else None
        self._labels: tuple[int, ...] = ()
        self._reference_label = 0
        self._iteration, self._tried, self._step = 0, None, (float("nan"), float("nan"), False)
        flags = NODAL | flag | (ACCELERATIONS if accelerations else 0) | (LABELS if labels else 0) | (REFERENCE | seen << 4 if turn else 0)
        sock.sendall(struct.pack("=BII", NEGOTIATE, flags, nodes))
        if self._take(1)[0] != AGREED:
            raise PeerError("the model expects another number of nodes or other data; it says which")

    def __enter__(self) -> Peer:
        return self

    def __exit__(self, *_: object) -> None:
        self._socket.close()

    def __iter__(self) -> Iterator[Motion]:
        while (motion := self.motion()) is not None:
            yield motion

    def _take(self, n: int) -> bytes:
        data = bytearray()
        while len(data) < n:
            piece = self._socket.recv(n - len(data))
            if not piece:
                raise PeerError("the model has gone")
            data += piece
        return bytes(data)

    def motion(self) -> Motion | None:
        """The next motion; None: the run has ended."""
        while True:
            command = self._take(1)[0]
            if command == ABORT:
                return None
            if command in (DATA, DATA_AND_NEXT):
                break
            if command != AGAIN:
                raise PeerError(f"command {command} where motion was expected")
            t, h = struct.unpack("=dd", self._take(16))
            begin = t - h
            again = h > 0 and self._tried is not None and begin <= self._tried + 1e-9 * h
            self._tried, self._iteration, self._step = begin if h > 0 else None, 0, (t, h, again)
        reference = None
        if self._reference:
            self._reference_label = self._take_labels(1)[0] if self._with_labels else 0
            x, o, v, w, a, e = [p[0] if p else () for p in self._take_parts(1, self._reference)]
            reference = Reference(self._reference_label, x, o, v, w, a, e)
        self._labels = self._take_labels(self.nodes) if self._with_labels else ()
        xs, os, vs, ws, accelerations, es = self._take_parts(self.nodes, self._layout)
        t, h, again = self._step
        self._iteration += 1
        return Motion(xs, os, vs, ws, accelerations, es, self._iteration - 1, t, h, again, self._labels, reference)

    def _take_labels(self, n: int) -> tuple[int, ...]:
        """an even number of them is sent"""
        return struct.unpack(f"={n + n % 2}I", self._take(4 * (n + n % 2)))[:n]

    def _take_parts(self, n: int, sizes: Sequence[int]) -> list[list[tuple[float, ...]]]:
        parts: list[list[tuple[float, ...]]] = []
        for size in sizes:
            flat = struct.unpack(f"={size * n}d", self._take(8 * size * n))
            parts.append([flat[size * i:size * (i + 1)] for i in range(n)] if size else [])
        return parts

    def answer(self, forces: Sequence[Sequence[float]], moments: Sequence[Sequence[float]] | None = None, converged: bool = True,
               reference: Sequence[float] = (0.0,) * 6) -> None:
        """Forces of all nodes at the motion of the last call; converged: the last ones of this step. reference: force and moment there."""
        flat = [x for f in forces for x in f]
        if self._turns:
            flat += [x for m in moments for x in m] if moments else [0.0] * (3 * self.nodes)
        if converged:
            self._iteration = 0
        data = bytes([DATA_AND_NEXT if converged else DATA])
        if self._reference:
            data += struct.pack("=II", self._reference_label, 0) if self._with_labels else b""
            data += struct.pack("=6d", *reference)
        if self._with_labels:
            data += struct.pack(f"={self.nodes + self.nodes % 2}I", *self._labels, *[0] * (self.nodes % 2))
        self._socket.sendall(data + struct.pack(f"={len(flat)}d", *flat))

    def end(self) -> None:
        """Asks the model to end its run."""
        self._socket.sendall(bytes([ABORT]))


def connect(address: str, nodes: int, orientation: str = "matrix", accelerations: bool = False, timeout: float = 10.0, labels: bool = False,
            reference: str | None = None) -> Peer:
    """Connects to a model that waits (`hooke run MODEL --connect`), for at most `timeout` seconds. What it wants to see is what the model offers;
    reference: the orientation of the reference node, where there is one."""
    kind, _, rest = address.partition(":")
    until = time.monotonic() + timeout
    while True:
        sock = socket.socket(socket.AF_UNIX if kind == "unix" else socket.AF_INET, socket.SOCK_STREAM)
        try:
            if kind == "unix":
                sock.connect(rest)
            elif kind == "tcp":
                host, _, port = rest.rpartition(":")
                sock.connect((host, int(port)))
                sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            else:
                raise ValueError(f"'{address}' is no address: unix:PATH or tcp:HOST:PORT")
            break
        except OSError as error:
            sock.close()
            if time.monotonic() > until:
                raise PeerError(f"no model is at {address}: {error}") from error
            time.sleep(0.01)
    sock.settimeout(timeout)
    return Peer(sock, nodes, orientation, accelerations, labels, reference)
