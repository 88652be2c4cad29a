# SPDX-License-Identifier: Apache-2.0
"""A reader of MCAP that believes nothing: every record, checksum, offset and count of a file is looked at, and messages are decoded by
the definitions that the file itself carries. Written from the description of the format, not from the writer."""
import binascii
import struct
from types import SimpleNamespace

MAGIC = b"\x89MCAP0\r\n"
HEADER, FOOTER, SCHEMA, CHANNEL, MESSAGE, CHUNK, MESSAGE_INDEX, CHUNK_INDEX = range(1, 9)
STATISTICS, METADATA, METADATA_INDEX, SUMMARY_OFFSET, DATA_END = range(11, 16)


class Reader:
    def __init__(self, data):
        self.data, self.at = data, 0

    def take(self, form):
        values = struct.unpack_from("<" + form, self.data, self.at)
        self.at += struct.calcsize("<" + form)
        return values[0] if len(values) == 1 else values

    def bytes(self, n):
        assert self.at + n <= len(self.data), "beyond the end"
        self.at += n
        return self.data[self.at - n:self.at]

    def text(self):
        return self.bytes(self.take("I")).decode("utf-8")

    def map(self, key, value):
        part, out = Reader(self.bytes(self.take("I"))), {}
        while part.at < len(part.data):
            k = key(part)
            assert k not in out
            out[k] = value(part)
        return out

    def done(self):
        assert self.at == len(self.data), f"{len(self.data) - self.at} bytes too many"


def records(data, base=0):
    """(kind, where it begins, where it ends, content) of each record"""
    at = 0
    while at < len(data):
        kind, n = struct.unpack_from("<BQ", data, at)
        assert at + 9 + n <= len(data), "a record beyond the end"
        yield kind, base + at, base + at + 9 + n, data[at + 9:at + 9 + n]
        at += 9 + n


def read(path):
    """The whole file, checked: header, schemas, channels, messages (channel, sequence, ns, bytes), metadata, chunks."""
    data = path.read_bytes()
    assert data[:8] == MAGIC == data[-8:]
    out = SimpleNamespace(schemas={}, channels={}, messages=[], metadata={}, chunks=[], header=None, statistics=None)
    footer = Reader(data[-28:-8])
    summary, offsets, crc = footer.take("QQI")
    assert data[-37:-28] == struct.pack("<BQ", FOOTER, 20)
    assert binascii.crc32(data[summary:-12]) == crc, "checksum of the summary"
    assert 0 < summary <= offsets < len(data) - 37
    _read_data(out, data, summary)
    _read_summary(out, data, summary, offsets)
    for kind, _, _, content in records(data[offsets:len(data) - 37], offsets):
        r = Reader(content)
        assert kind == SUMMARY_OFFSET
        group, start, length = r.take("BQQ")
        r.done()
        assert {k for k, *_ in records(data[start:start + length])} == {group}
    return out


def _definition(out, kind, content, copy):
    r = Reader(content)
    if kind == SCHEMA:
        number = r.take("H")
        value, table = (r.text(), r.text(), r.text()), out.schemas
        assert value[1] == "ros2msg" and number
    else:
        number, schema = r.take("HH")
        value, table = (schema, r.text(), r.text(), r.map(Reader.text, Reader.text)), out.channels
        assert schema in out.schemas and value[2] == "cdr" and "offered_qos_profiles" in value[3]
    r.done()
    assert (table[number] == value) if copy else number not in table
    table[number] = value


def _read_data(out, data, end):
    """the part before the summary; chunks with their index"""
    where, index = {}, None
    for kind, begin, finish, content in records(data[8:end], 8):
        r = Reader(content)
        if kind == HEADER:
            assert out.header is None
            out.header = (r.text(), r.text())
        elif kind == CHUNK:
            assert index is None or not index, "messages without index"
            first, last, size, crc = r.take("QQQI")
            assert r.text() == ""
            inside = r.bytes(r.take("Q"))
            assert len(inside) == size and binascii.crc32(inside) == crc, "checksum of a chunk"
            index, times = {}, []
            for kind2, at, _, content2 in records(inside):
                if kind2 != MESSAGE:
                    _definition(out, kind2, content2, False)
                    continue
                m = Reader(content2)
                channel, sequence, ns, published = m.take("HIQQ")
                assert channel in out.channels and ns == published
                out.messages.append((channel, sequence, ns, content2[m.at:]))
                index.setdefault(channel, []).append((ns, at))
                times.append(ns)
            assert (first, last) == ((min(times), max(times)) if times else (0, 0))
            where = {}
            out.chunks.append(SimpleNamespace(start=begin, length=finish - begin, times=(first, last), size=size, where=where, index=0))
        elif kind == MESSAGE_INDEX:
            channel = r.take("H")
            part, found = Reader(r.bytes(r.take("I"))), []
            while part.at < len(part.data):
                found.append(part.take("QQ"))
            assert found == index.pop(channel), "index of messages"
            where[channel] = begin
            out.chunks[-1].index += finish - begin
        elif kind == METADATA:
            name = r.text()
            out.metadata[name] = (r.map(Reader.text, Reader.text), begin, finish - begin)
        else:
            assert kind == DATA_END and finish == end, kind
            assert r.take("I") == binascii.crc32(data[:begin]), "checksum of the data"
        r.done()
    assert not index


def _read_summary(out, data, summary, offsets):
    seen = []
    chunks, metadata = iter(out.chunks), iter(out.metadata.items())
    for kind, _, _, content in records(data[summary:offsets], summary):
        if not seen or seen[-1] != kind:
            assert kind not in seen, "records of a kind stand together"
            seen.append(kind)
        r = Reader(content)
        if kind in (SCHEMA, CHANNEL):
            _definition(out, kind, content, True)
        elif kind == CHUNK_INDEX:
            c = next(chunks)
            assert r.take("QQQQ") == (*c.times, c.start, c.length)
            assert r.map(lambda x: x.take("H"), lambda x: x.take("Q")) == c.where
            assert (r.take("Q"), r.text(), *r.take("QQ")) == (c.index, "", c.size, c.size)
            r.done()
        elif kind == METADATA_INDEX:
            name, (_, at, length) = next(metadata)
            assert (*r.take("QQ"), r.text()) == (at, length, name)
            r.done()
        else:
            assert kind == STATISTICS
            times = [m[2] for m in out.messages]
            assert r.take("QHIIIIQQ") == (len(times), len(out.schemas), len(out.channels), 0, len(out.metadata), len(out.chunks), min(times), max(times))
            counts = {}
            for channel, *_ in out.messages:
                counts[channel] = counts.get(channel, 0) + 1
            assert r.map(lambda x: x.take("H"), lambda x: x.take("Q")) == counts
            r.done()
    assert next(chunks, None) is None and next(metadata, None) is None and seen[-1] == STATISTICS


# --- messages

_PLAIN = {"float64": ("d", 8), "float32": ("f", 4), "int32": ("i", 4), "uint32": ("I", 4), "bool": ("?", 1), "uint8": ("B", 1)}


def types_of(definition):
    """{type: [(field type, name)]} of a schema; "" is the message itself"""
    out, name = {"": []}, ""
    for line in definition.splitlines():
        if line == "=" * 80:
            name = None
        elif line.startswith("MSG: "):
            name = line[5:]
            out[name] = []
        elif line:
            out[name].append(tuple(line.split(" ")))
    return out


def decode(data, types):
    """a message as nested dictionaries"""
    assert data[:4] == b"\0\1\0\0"
    body, at = data[4:], 0

    def plain(kind):
        nonlocal at
        form, size = _PLAIN[kind]
        at += -at % size
        value, = struct.unpack_from("<" + form, body, at)
        at += size
        return value

    def value(kind):
        nonlocal at
        if kind.endswith("[]"):
            return [value(kind[:-2]) for _ in range(plain("uint32"))]
        if kind == "string":
            n = plain("uint32")
            at += n
            assert n > 0 and body[at - 1] == 0
            return body[at - n:at - 1].decode("utf-8")
        return plain(kind) if kind in _PLAIN else {name: value(field) for field, name in types[kind]}

    out = {name: value(field) for field, name in types[""]}
    assert at == len(body), f"{len(body) - at} bytes too many"
    return out
