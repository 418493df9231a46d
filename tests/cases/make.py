#!/usr/bin/env python3
"""Writes the inputs of tests/cases that no editor writes: binary formats, archives and cut files. `python3 tests/cases/make.py`, then `make cases`.

The tables of neuron_parquet/small are `axonscope convert tests/cases/neuron_json/small/profile.json`. The same bytes on every run, but for deflate,
whose output may differ from one version of zlib to the next.
"""
import gzip
import io
import os
import pickle
import struct
import tarfile
import zipfile

HERE = os.path.dirname(os.path.abspath(__file__))


def write(path, content):
    path = os.path.join(HERE, path)
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "wb") as file:
        file.write(content)


def read(path):
    with open(os.path.join(HERE, path), "rb") as file:
        return file.read()


def varint(n):
    out = b""
    while n >= 128:
        out += bytes([n & 127 | 128])
        n >>= 7
    return out + bytes([n])


def number(field, value):
    return varint(field << 3) + varint(value)


def message(field, content):
    return varint(field << 3 | 2) + varint(len(content)) + content


def archives():
    small = b'{"traceEvents":[{"ph":"X","name":"a","pid":1,"tid":1,"ts":1,"dur":1}]}'
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as archive:
        archive.writestr(zipfile.ZipInfo("a/one.json"), small, zipfile.ZIP_DEFLATED)
        archive.writestr(zipfile.ZipInfo("a/two.json"), small)
    write("kineto/zip/runs.zip", packed.getvalue())
    write("kineto/tar/runs.tar", tar([("a/one.json", small), ("a/notes.txt", b"nothing")]))
    phases = read("kineto/phases/phases.json")
    zipped = gzip.compress(phases, 9, mtime=0)
    write("kineto/gzip/rank1.pt.trace.json.gz", zipped)
    write("kineto/gzip_cut/rank1.pt.trace.json.gz", zipped[: len(zipped) // 2])
    write("kineto/cut/rank1.pt.trace.json", phases[: len(phases) * 3 // 8])


def tar(members):
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode="w", format=tarfile.USTAR_FORMAT) as archive:
        for name, content in members:
            info = tarfile.TarInfo(name)
            info.size = len(content)
            archive.addfile(info, io.BytesIO(content))
    return out.getvalue()


def perfetto():
    def event(time, kind, name):
        body = message(11, number(9, kind) + message(23, name))
        return message(1, number(8, time) + number(10, 1) + body)

    events = event(100, 1, b"outer") + event(150, 3, b"moment") + event(200, 2, b"") + event(300, 1, b"open")
    write("pftrace/small/small.pftrace", events)
    write("pftrace/cut/cut.pftrace", events[:-3])
    write("pftrace/noise_after/noise.pftrace", events + b"\xff" * 9)
    write("pftrace/no_packet/no.pftrace", b"\x0a\x03abc")


def snapshots():
    def frame(name, line):
        return {"name": name, "filename": "/src/train.py", "line": line}

    def event(action, addr, size, time_us, frames):
        return {"action": action, "addr": addr, "size": size, "stream": 0, "time_us": time_us, "frames": frames}

    frames = [frame("forward", 10), frame("main", 3)]
    start = 1_700_000_000_000_000
    used = {"address": 0x1000, "size": 1024, "requested_size": 1000, "state": "active_allocated", "frames": frames}
    free = {"address": 0x1400, "size": 2096128, "requested_size": 0, "state": "inactive", "frames": []}
    segment = {"device": 0, "address": 0x1000, "total_size": 2097152, "allocated_size": 1024, "active_size": 1024, "requested_size": 1000, "stream": 0,
               "segment_type": "small", "frames": [], "blocks": [used, free]}
    events = [
        event("segment_alloc", 0x1000, 2097152, start, frames),
        event("alloc", 0x1000, 1024, start + 10, frames),
        event("alloc", 0x1400, 4096, start + 20, frames),
        event("free_requested", 0x1400, 4096, start + 30, []),
        event("free_completed", 0x1400, 4096, start + 31, []),
    ]
    settings = {"PYTORCH_CUDA_ALLOC_CONF": "", "expandable_segments": False}
    whole = pickle.dumps({"segments": [segment], "device_traces": [events], "allocator_settings": settings}, 4)
    write("memory_snapshot/small/snapshot.pickle", whole)
    write("memory_snapshot/cut/snapshot.pickle", whole[: len(whole) * 3 // 4])
    write("memory_snapshot/other_pickle/model.pkl", b"\x80\x04\x95\x10\0\0\0\0\0\0\0\x8c\x05posix\x8c\x06system\x93.")
    wrong = [{"action": 5, "addr": "x", "size": -1, "stream": None, "time_us": 1e300, "frames": 7}, event("alloc", -1, 2**70, start, [frame(None, "ten")])]
    write("memory_snapshot/wrong_types/snapshot.pickle", pickle.dumps({"segments": "none", "device_traces": [wrong, 5]}, 4))


START = 5_000_000_000_000
BASE = 0x10000
UUID = b"0123456789abcdef"
# MATMUL, an opcode without a name, NOP.
IMAGE = b"".join(bytes([opcode]) + bytes(63) for opcode in (0x02, 0x41, 0xA4))


def record(first, time):
    return bytes(first) + struct.pack("<Q", time)


def regions():
    """What a small run leaves, by (trace type, block type): two instructions, a semaphore, a DMA transfer, throttling."""

    def instruction(pc, start, end):
        word = BASE + pc

        def at(kind, time):
            return record([word & 255, (word >> 8) & 255, (word >> 16) & 15, kind, 0, 0, 0x58, 0x02], START + time)

        return at(0x84, start) + at(0x85, end)

    def transfer(kind, size, time):
        return record([size & 255, size >> 8, 0, 0x82, kind, 0, 7, 0], START + time)

    transfers = transfer(0x11, 0, 1_000_000) + transfer(0x15, 4096, 1_618_000) + transfer(0x16, 0, 1_700_000)
    return [
        (0, 0, instruction(0, 1_000_000, 2_500_999) + instruction(1, 3_000_000, 3_700_000)),
        (1, 0, record([5, 1, 0xF3, 0x87, 3, 0, 0, 0], START + 2_600_000)),
        (4, 1, transfers),
        (5, 0, record([0, 0, 8, 0x9E, 4, 1, 0, 0], START + 2_000_000)),
    ]


def ntff(version, offset=0):
    """A trace of that version; `offset` is added to where its regions are said to be."""
    is_new = version >= 6
    raw = b""
    program = number(1, 0) + number(2, BASE * 64)
    if is_new:
        program += number(7, len(raw)) + number(8, len(IMAGE))
        raw += IMAGE
    else:
        program += message(3, IMAGE)
    queue = number(1, 66) + number(2, 1) + number(3, 2) + message(4, b"qSPDynamicHW")
    subgraph = message(1, b"sg00") + number(3, 4) + message(4, program) + message(7, queue) + number(14, 10_000_000)
    listed = []
    for trace, block, records in regions():
        region = number(1, trace) + number(3, block) + number(5, len(raw) + offset) + number(6, len(records))
        if is_new:
            listed.append(region + number(7, 4))
        else:
            subgraph += message(6, region)
        raw += records
    info = message(1, b"small.neff") + message(2, UUID) + message(4, message(4, message(1, subgraph))) + number(5, 0) + message(9, b"synthetic")
    if is_new:
        info += message(15, message(1, UUID) + number(2, START) + number(3, START + 10_000_000))
        info += b"".join(message(16, region) for region in listed)
    head = bytes([version]) + struct.pack("<Q", len(info))
    return head.ljust(128, b"\xaa") + info + raw


def neff(data_size=None):
    members = [("neff.json", b"{}"), ("metrics.json", b'{"PostSchedEstLatency":"42"}')]
    data = gzip.compress(tar(members), 9, mtime=0)
    out = bytearray(1024)
    for at, n in ((0, 2), (8, 1024), (0x10, len(data) if data_size is None else data_size), (0x18, 2)):
        out[at : at + 8] = struct.pack("<Q", n)
    out[0xCC:0xDC] = UUID
    out[0xDC:0xE6] = b"small.neff"
    return bytes(out) + data


def device():
    for version in (4, 5, 6):
        write(f"ntff/version_{version}/a.ntff", ntff(version))
    whole = ntff(6)
    write("ntff/with_neff/a.ntff", whole)
    write("ntff/with_neff/a.neff", neff())
    write("ntff/cut/a.ntff", whole[: len(whole) * 7 // 8])
    write("ntff/head_alone/a.ntff", whole[:128])
    write("ntff/far_regions/a.ntff", ntff(6, 1 << 40))
    write("neff/small/a.neff", neff())
    write("neff/cut/a.neff", neff()[: len(neff()) * 7 // 8])
    write("neff/wrong_size/a.neff", neff(2**64 - 1))
    table = read("neuron_parquet/small/d/Instruction.parquet")
    for case in ("cut", "cut_alone"):
        write(f"neuron_parquet/{case}/d/Instruction.parquet", table[:6000])
    for name in ("DmaPacket", "Metadata"):
        write(f"neuron_parquet/cut/d/{name}.parquet", read(f"neuron_parquet/small/d/{name}.parquet"))
    events = read("neuron_system/directory/global/run@latest/SystemProfileEvents.parquet")
    write("neuron_system/table_cut/global/run@latest/SystemProfileEvents.parquet", events[: len(events) * 6 // 8])
    for case, path in (("axonrun", "four_faults/32_ranks_4_faults.axonrun"),):
        run = read(f"{case}/{path}")
        write("axonrun/cut/cut.axonrun", run[:3000])
        write("axonrun/empty/head.axonrun", run[:16])


if __name__ == "__main__":
    archives()
    perfetto()
    snapshots()
    device()
