# SPDX-License-Identifier: Apache-2.0
"""The other side of a stream of a model, in plain Python: no library is needed beside this file.

    import hooke.stream

    with hooke.stream.connect("unix:/tmp/angle") as angle, hooke.stream.connect("udp:127.0.0.1:5001") as torque:
        for t, (phi,) in angle:
            torque.send(t, [-10 * phi])

Addresses: `udp:HOST:PORT`, `tcp:HOST:PORT`, `unix:PATH`, `shm:NAME`. docs/streams.md describes the frame.
"""
from __future__ import annotations

import mmap
import os
import select
import socket
import struct
import time
from typing import Iterator, Sequence

HEAD = struct.Struct("<IHHIIQdq")
MAGIC, VERSION, END = 0x54534B48, 1, 1
_SLOT = struct.Struct("<IIIIQQ")
_SHARED_MAGIC = 0x4D534B48


class StreamError(OSError):
    """What came is no frame of this stream, or nothing came in time."""


def layout(names: Sequence[str]) -> int:
    """The hash of names of columns that frames carry."""
    h = 2166136261
    for name in names:
        for byte in name.encode() + b"\0":
            h = ((h ^ byte) * 16777619) & 0xFFFFFFFF
    return h or 1


def pack(values: Sequence[float], sequence: int = 0, t: float = 0.0, columns: int = 0, flags: int = 0) -> bytes:
    """A frame as bytes. columns: the hash of the names of its columns."""
    return HEAD.pack(MAGIC, VERSION, flags, columns, len(values), sequence, t, time.monotonic_ns()) + struct.pack(f"<{len(values)}d", *values)


class Stream:
    """One way: frames are sent or received. Made by connect() and listen()."""

    def __init__(self, sock: socket.socket | None, name: str = "", raw: int = 0, timeout: float | None = 10.0, path: str = "") -> None:
        self._socket, self._name, self._raw, self._path = sock, name, raw, path
        self._memory: mmap.mmap | None = None
        self._bytes, self._count = b"", 0
        self.timeout, self.layout = timeout, 0
        self.sequence, self.lost, self.ended = 0, 0, False
        self._sent = False

    def __enter__(self) -> Stream:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def __iter__(self) -> Iterator[tuple[float, tuple[float, ...]]]:
        while (frame := self.receive()) is not None:
            yield frame

    # --- out

    def send(self, t: float, values: Sequence[float]) -> bool:
        """Send values at the simulated time t. False: the other side is gone."""
        frame = struct.pack(f"<{len(values)}d", *values) if self._raw else pack(values, self.sequence, t, self.layout)
        self.sequence += 1
        self._sent = True
        if self._name:
            self._put(frame)
            return True
        try:
            self._send(frame)
        except (BrokenPipeError, ConnectionResetError):
            self.ended = True
        return not self.ended

    def _send(self, frame: bytes) -> None:
        assert self._socket is not None
        try:
            self._socket.sendall(frame)
        except ConnectionRefusedError:
            if self._socket.type != socket.SOCK_DGRAM:  # a datagram that nobody takes is lost
                raise

    # --- in

    def receive(self) -> tuple[float, tuple[float, ...]] | None:
        """Wait for the next frame: its time and its values; None when the stream has ended. Raw streams have no time: not a number."""
        if self.ended:
            return None
        if self._raw:
            data = self._read(8 * self._raw)
            return None if data is None else (float("nan"), struct.unpack(f"<{self._raw}d", data))
        data = self._take() if self._name else self._frame()
        if data is None:
            self.ended = True
            return None
        magic, version, flags, columns, count, sequence, t, _ = HEAD.unpack_from(data)
        if magic != MAGIC or version != VERSION or len(data) < HEAD.size + 8 * count:
            raise StreamError("what came is no frame")
        if flags & END:
            self.ended = True
            return None
        if self.layout and columns and columns != self.layout:
            raise StreamError("the columns of the frame have other names")
        if self.sequence and sequence > self.sequence:
            self.lost += sequence - self.sequence
        self.sequence = sequence + 1
        return t, struct.unpack_from(f"<{count}d", data, HEAD.size)

    def _frame(self) -> bytes | None:
        assert self._socket is not None
        if self._socket.type == socket.SOCK_DGRAM:
            self._wait()
            return self._socket.recv(65536)
        head = self._read(HEAD.size)
        if head is None:
            return None
        magic, _, _, _, count, _, _, _ = HEAD.unpack(head)
        if magic != MAGIC or count > 4096:
            raise StreamError("what came is no frame")
        rest = self._read(8 * count) if count else b""
        return None if rest is None else head + rest

    def _wait(self) -> None:
        if self.timeout is not None and not select.select([self._socket], [], [], self.timeout)[0]:
            raise StreamError(f"nothing has come for {self.timeout} s")

    def _read(self, n: int) -> bytes | None:
        assert self._socket is not None
        while len(self._bytes) < n:
            self._wait()
            more = self._socket.recv(65536)
            if not more:
                return None
            self._bytes += more
        data, self._bytes = self._bytes[:n], self._bytes[n:]
        return data

    # --- shared memory: magic, version, bytes, ended; count, taken; the frame

    def _open(self, size: int) -> mmap.mmap:
        if self._memory is None:
            whole = _SLOT.size + size
            fd = os.open("/dev/shm/" + self._name, os.O_RDWR | os.O_CREAT, 0o600)
            try:
                if os.fstat(fd).st_size == 0:
                    os.ftruncate(fd, whole)
                self._memory = mmap.mmap(fd, whole)
            finally:
                os.close(fd)
        return self._memory

    def _put(self, frame: bytes) -> None:
        first = self._memory is None
        m = self._open(len(frame))
        if first:
            struct.pack_into("<IIIQQ", m, 4, VERSION, len(frame), 0, 0, 0)
            struct.pack_into("<I", m, 0, _SHARED_MAGIC)
        self._count += 2
        struct.pack_into("<Q", m, 16, self._count - 1)
        m[_SLOT.size:_SLOT.size + len(frame)] = frame
        struct.pack_into("<Q", m, 16, self._count)

    def _take(self) -> bytes | None:
        """The latest frame of shared memory, whose writer has made it."""
        until = None if self.timeout is None else time.monotonic() + self.timeout
        while True:
            if self._memory is None:
                try:
                    size = os.stat("/dev/shm/" + self._name).st_size
                except FileNotFoundError:
                    size = 0
                if size > _SLOT.size:
                    self._open(size - _SLOT.size)
            if self._memory is not None:
                magic, _, _, ended, count, _ = _SLOT.unpack_from(self._memory)
                if magic == _SHARED_MAGIC and count != self._count and not count & 1:
                    data = bytes(self._memory[_SLOT.size:])
                    if struct.unpack_from("<Q", self._memory, 16)[0] == count:
                        self._count = count
                        struct.pack_into("<Q", self._memory, 24, count)
                        return data
                elif magic == _SHARED_MAGIC and ended and count == self._count:
                    return None
            if until is not None and time.monotonic() > until:
                raise StreamError(f"nothing has come for {self.timeout} s")
            time.sleep(0 if self._memory is not None else 1e-3)

    def close(self) -> None:
        """Tell the other side that there is no more, and close."""
        if self._memory is not None:
            if self._sent:
                struct.pack_into("<I", self._memory, 12, 1)
            self._memory.close()
            self._memory = None
        if self._socket is not None:
            if self._sent and not self._raw and not self.ended:
                try:
                    self._send(pack((), self.sequence, flags=END))
                except OSError:
                    pass  # the other side is gone already
            self._socket.close()
            self._socket = None
        if self._path:
            os.unlink(self._path)
            self._path = ""


def _socket(address: str) -> tuple[socket.socket, str | tuple[str, int]]:
    kind, _, rest = address.partition(":")
    if kind == "unix":
        return socket.socket(socket.AF_UNIX, socket.SOCK_STREAM), rest
    host, _, port = rest.rpartition(":")
    if kind not in ("udp", "tcp") or not port.isdigit():
        raise ValueError(f"'{address}' is no address: udp:HOST:PORT, tcp:HOST:PORT, unix:PATH, shm:NAME")
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    sock = socket.socket(family, socket.SOCK_DGRAM if kind == "udp" else socket.SOCK_STREAM)
    if kind == "tcp":
        sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    return sock, (host.strip("[]"), int(port))


def connect(address: str, *, raw: int = 0, timeout: float | None = 10.0) -> Stream:
    """Connect to a stream that listens, waiting for it. raw: the number of values of streams without frames."""
    if address.startswith("shm:"):
        return Stream(None, address[4:].lstrip("/"), raw, timeout)
    until = time.monotonic() + (timeout if timeout is not None else 1e9)
    while True:
        sock, place = _socket(address)
        try:
            sock.connect(place)
            return Stream(sock, raw=raw, timeout=timeout)
        except (ConnectionRefusedError, FileNotFoundError):
            sock.close()
            if time.monotonic() > until:
                raise
            time.sleep(0.005)


def listen(address: str, *, raw: int = 0, timeout: float | None = 10.0) -> Stream:
    """Listen and wait for one connection; of datagrams and shared memory there is nothing to wait for."""
    if address.startswith("shm:"):
        return Stream(None, address[4:].lstrip("/"), raw, timeout)
    sock, place = _socket(address)
    sock.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    sock.bind(place)
    if sock.type == socket.SOCK_DGRAM:
        return Stream(sock, raw=raw, timeout=timeout)
    sock.listen(1)
    sock.settimeout(timeout)
    with sock:
        other, _ = sock.accept()
    other.settimeout(None)
    return Stream(other, raw=raw, timeout=timeout, path=place if isinstance(place, str) else "")
