# SPDX-License-Identifier: Apache-2.0
"""The other side of a stream of a model, in plain Python: no library is needed beside this file.

    import hooke.stream

    with hooke.stream.connect("unix:/tmp/angle") as angle, hooke.stream.connect("udp:127.0.0.1:5001") as torque:
        for t, (phi,) in angle:
            torque.send(t, [-10 * phi])

Addresses: `udp:HOST:PORT`, `tcp:HOST:PORT`, `unix:PATH`, `shm:NAME`. docs/streams.md describes the frame.
"""
from __future__ import annotations

import ctypes
import mmap
import os
import platform
import select
import socket
import struct
import sys
import time
from typing import Iterator, Sequence

HEAD = struct.Struct("<IHHIIQdq")
MAGIC, VERSION, END = 0x54534B48, 1, 1
# shared memory: uint32 magic, version, bytes, ended; uint64 count, taken; uint32 reader sleeps, writer sleeps; the frame at byte 64
_SLOT, _SHARED_MAGIC, _SHARED_VERSION = 64, 0x4D534B48, 2
_ENDED, _READER_SLEEPS, _WRITER_SLEEPS = 3, 8, 9  # words of four bytes
_COUNT, _TAKEN = 2, 3  # words of eight bytes
_SPIN, _NAP = 5e-5, 2e-3  # s: looking closely, then sleeping at a stretch
_FUTEX = {"x86_64": 202, "aarch64": 98, "riscv64": 98}.get(platform.machine(), 0) if sys.platform == "linux" and sys.byteorder == "little" else 0


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
        self._words = self._counts = memoryview(b"")  # the memory as numbers of four and of eight bytes
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
        assert self._socket is not None
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

    # --- shared memory

    def _open(self, size: int) -> None:
        """Map the memory of a frame of so many bytes, which is made where it is not there."""
        whole = _SLOT + size
        fd = os.open("/dev/shm/" + self._name, os.O_RDWR | os.O_CREAT, 0o600)
        try:
            if os.fstat(fd).st_size == 0:
                os.ftruncate(fd, whole)
            elif os.fstat(fd).st_size != whole:
                raise StreamError(f"the shared memory '{self._name}' is of another stream: {os.fstat(fd).st_size} bytes, not {whole}")
            self._memory = mmap.mmap(fd, whole)
        finally:
            os.close(fd)
        # numbers are stored whole through these, not byte by byte
        self._words, self._counts = memoryview(self._memory).cast("I"), memoryview(self._memory).cast("Q")

    def _futex(self, at: int, wake: bool, seen: int = 0) -> None:
        """Wake whoever waits for a change of the count at this place, or wait for it oneself."""
        assert self._memory is not None
        word = ctypes.c_uint32.from_buffer(self._memory, 8 * at)
        most = (ctypes.c_long * 2)(0, int(1e9 * _NAP))
        ctypes.CDLL(None).syscall(_FUTEX, ctypes.byref(word), 1 if wake else 0, ctypes.c_uint32(1 if wake else seen), None if wake else ctypes.byref(most), None, 0)

    def _wake(self, sleeps: int, at: int) -> None:
        if _FUTEX and self._words[sleeps]:
            self._futex(at, True)

    def _put(self, frame: bytes) -> None:
        if self._memory is None:
            self._open(len(frame))
            assert self._memory is not None
            struct.pack_into("<IIIQQ", self._memory, 4, _SHARED_VERSION, len(frame), 0, 0, 0)
            self._words[0] = _SHARED_MAGIC
        assert self._memory is not None
        self._count += 2
        self._counts[_COUNT] = self._count - 1
        self._memory[_SLOT:_SLOT + len(frame)] = frame
        self._counts[_COUNT] = self._count
        self._wake(_READER_SLEEPS, _COUNT)

    def _look(self) -> tuple[bytes | None, bool]:
        """What is there: a new frame, or None; and whether the stream has ended."""
        if self._memory is None:
            try:
                size = os.stat("/dev/shm/" + self._name).st_size
            except FileNotFoundError:
                size = 0
            if size <= _SLOT:
                return None, False
            self._open(size - _SLOT)
        assert self._memory is not None
        count = self._counts[_COUNT]
        if self._words[0] != _SHARED_MAGIC:
            return None, False
        if self._words[1] != _SHARED_VERSION:
            raise StreamError(f"version {self._words[1]} of the shared memory '{self._name}', and {_SHARED_VERSION} is known")
        if count == self._count or count & 1:
            return None, count == self._count and bool(self._words[_ENDED])
        data = bytes(self._memory[_SLOT:])
        if self._counts[_COUNT] != count:
            return None, False
        self._count = count
        self._counts[_TAKEN] = count
        self._wake(_WRITER_SLEEPS, _TAKEN)
        return data, False

    def _take(self) -> bytes | None:
        """The latest frame of shared memory, whose writer has made it."""
        begun = time.monotonic()
        while True:
            data, ended = self._look()
            if data is not None or ended:
                return data
            waited = time.monotonic() - begun
            if self.timeout is not None and waited > self.timeout:
                raise StreamError(f"nothing has come for {self.timeout} s")
            if self._memory is None or not _FUTEX:
                time.sleep(1e-3 if self._memory is None else _SPIN)
            elif waited > _SPIN:
                self._words[_READER_SLEEPS] = 1
                seen = self._counts[_COUNT]
                if (seen == self._count or seen & 1) and not self._words[_ENDED]:
                    self._futex(_COUNT, False, seen & 0xFFFFFFFF)
                self._words[_READER_SLEEPS] = 0

    def close(self) -> None:
        """Tell the other side that there is no more, and close."""
        if self._memory is not None:
            if self._sent:
                self._words[_ENDED] = 1
                self._wake(_READER_SLEEPS, _COUNT)
            self._words.release()
            self._counts.release()
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
