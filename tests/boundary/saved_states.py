"""The parts of a saved scheduler's bytes, for tests that change them or look into them."""

import hashlib
import struct
from typing import NamedTuple

import schedcore


class Parts(NamedTuple):
    """What `save` returns, without the length of the header and the checksum."""

    line: bytes
    header: bytes
    engine: bytes

    def joined(self, length: int | None = None) -> bytes:
        """The whole, with the checksum that it needs; `length` is another length of the header."""
        n_bytes = len(self.header) if length is None else length
        body = self.line + n_bytes.to_bytes(8, "little") + self.header + self.engine
        return body + hashlib.sha256(body).digest()


def parts(data: bytes) -> Parts:
    line = data.index(b"\n") + 1
    end = line + 8 + int.from_bytes(data[line : line + 8], "little")
    return Parts(data[:line], data[line + 8 : end], data[end:-32])


class EngineState(NamedTuple):
    """What stands before the policy's own part, which begins at `policy_at`."""

    now: float
    times: list[float]  # release and processing times, and the starts of what runs or is planned
    running: list[int]
    blocked_at: int  # what says of failures, outages and held jobs
    policy_at: int


def engine_state(scheduler: schedcore.OnlineScheduler) -> EngineState:
    engine = parts(scheduler.save()).engine
    n_resources = scheduler.machines.n_resources
    assert engine[0] == 0, "other machines than in the beginning are not read here"
    # then whether the policy for clusters decides
    now, _, n_jobs = struct.unpack_from("<dQQ", engine, 2)
    at = 2 + 24
    ids: list[int] = []
    times: list[float] = []
    for _ in range(n_jobs):
        release_time, processing_time, _, _, job = struct.unpack_from("<ddddq", engine, at)
        ids.append(job)
        times += [release_time, processing_time]
        at += 40 + 8 * n_resources
    assert engine[at] == 0, "jobs that say where they may run are not read here"
    at += 1
    placed: list[list[int]] = []
    for _ in range(2):  # what runs, what is planned
        (n_placed,) = struct.unpack_from("<Q", engine, at)
        rows = list(struct.iter_unpack("<IId", engine[at + 8 : at + 8 + 16 * n_placed]))
        placed.append([ids[rank] for rank, _, _ in rows])
        times += [start_time for _, _, start_time in rows]
        at += 8 + 16 * n_placed
    assert not any(engine[at : at + 9]), "failures, outages and held jobs are not read here"
    blocked_at = at
    at += 9
    assert not any(engine[at : at + 8]), "jobs that wait for others are not read here"
    at += 8
    for _ in range(2):  # who has ended, and who of them without completing
        at += 8 + struct.unpack_from("<Q", engine, at)[0]
    at += 8 + 8 * struct.unpack_from("<Q", engine, at)[0]  # who has ended since
    return EngineState(now, times, placed[0], blocked_at, at)
