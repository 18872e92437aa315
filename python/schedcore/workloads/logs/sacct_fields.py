"""What single fields of sacct say: durations, time limits, amounts of memory, trackable resources, states.

Every function takes a text and returns a number: -1 where the field says nothing, NaN where it cannot be read.
Memory is in KB of 1024 bytes; Slurm's own unit, where none is written, is MB.
"""

import math
import re

__all__ = [
    "NEVER_RAN",
    "UNFINISHED",
    "UNKNOWN",
    "count",
    "duration",
    "memory",
    "memory_basis",
    "state",
    "time_limit",
    "tres_gpu_types",
    "tres_gpus",
    "tres_memory",
    "tres_nodes",
    "tres_processors",
]

UNKNOWN = -1.0
_NOTHING = ("", "Unknown", "None", "N/A", "(null)")
# Numbers of up to 15 digits, which float64 holds exactly.
_COUNT = re.compile(r"\d{1,15}", re.ASCII)
_DURATION = re.compile(r"(?:(\d{1,15})-)?(\d{1,15})(?::(\d{1,15}))?(?::(\d{1,15}))?(?:\.\d+)?", re.ASCII)
_MEMORY = re.compile(r"(\d{1,15}(?:\.\d+)?)([KMGTPE]?)([cn]?)", re.ASCII)
_KB = {"K": 1.0, "": 1024.0, "M": 1024.0, "G": 1024.0**2, "T": 1024.0**3, "P": 1024.0**4, "E": 1024.0**5}
_WITHOUT_LIMIT = ("UNLIMITED", "PARTITION_LIMIT", "INVALID")

# Full names of the states that sacct may abbreviate.
_STATES = {
    "BF": "BOOT_FAIL",
    "CA": "CANCELLED",
    "CD": "COMPLETED",
    "CF": "CONFIGURING",
    "CG": "COMPLETING",
    "DL": "DEADLINE",
    "F": "FAILED",
    "NF": "NODE_FAIL",
    "OOM": "OUT_OF_MEMORY",
    "PD": "PENDING",
    "PR": "PREEMPTED",
    "R": "RUNNING",
    "RD": "RESV_DEL_HOLD",
    "RF": "REQUEUE_FED",
    "RH": "REQUEUE_HOLD",
    "RQ": "REQUEUED",
    "RS": "RESIZING",
    "RV": "REVOKED",
    "S": "SUSPENDED",
    "SE": "SPECIAL_EXIT",
    "SI": "SIGNALING",
    "SO": "STAGE_OUT",
    "ST": "STOPPED",
    "TO": "TIMEOUT",
}
UNFINISHED = (
    "PENDING",
    "RUNNING",
    "SUSPENDED",
    "CONFIGURING",
    "COMPLETING",
    "RESIZING",
    "REQUEUE_FED",
    "REQUEUE_HOLD",
    "RESV_DEL_HOLD",
    "SIGNALING",
    "SPECIAL_EXIT",
    "STAGE_OUT",
    "STOPPED",
)
NEVER_RAN = ("CANCELLED", "REVOKED", "BOOT_FAIL", "DEADLINE")  # where they took no time


def state(text: str) -> str:
    """Return the state without what follows it: CANCELLED for ``CANCELLED by 1001``, TIMEOUT for ``TO``."""
    word = text.strip().split(" ")[0].rstrip("+").upper()
    return _STATES.get(word, word)


def count(text: str) -> float:
    """Return a number of processors, nodes or seconds."""
    if text in _NOTHING:
        return UNKNOWN
    return float(text) if _COUNT.fullmatch(text) else math.nan


def duration(text: str) -> float:
    """Return ``D-HH:MM:SS``, ``HH:MM:SS`` or ``MM:SS`` in seconds; parts of seconds are left out."""
    if text in _NOTHING:
        return UNKNOWN
    seconds = _clock(text)
    return math.nan if ":" not in text and "-" not in text else seconds


def time_limit(text: str) -> float:
    """Return a time limit in seconds: minutes, or as a duration; unknown where there is no limit."""
    if text in _NOTHING or text.upper() in _WITHOUT_LIMIT:
        return UNKNOWN
    return _clock(text)


def _clock(text: str) -> float:
    """Return a duration as Slurm reads it: after days hours come first, else a single number is minutes."""
    match = _DURATION.fullmatch(text)
    if match is None:
        return math.nan
    days, *parts = match.groups()
    numbers = [int(part) for part in parts if part is not None]
    if days is not None or len(numbers) == 3:
        hours, minutes, seconds = (*numbers, 0, 0)[:3]
    else:
        hours, (minutes, seconds) = 0, (*numbers, 0)[:2]
    return float(((int(days or 0) * 24 + hours) * 60 + minutes) * 60 + seconds)


def memory(text: str) -> float:
    """Return an amount of memory in KB, as ``4000M``, ``2.50Gc`` or ``0n``; `memory_basis` says of what."""
    if text in _NOTHING:
        return UNKNOWN
    match = _MEMORY.fullmatch(text)
    return math.nan if match is None else float(match[1]) * _KB[match[2]]


def memory_basis(text: str) -> str:
    """Return "c" for memory per processor, "n" per node, "" for that of the whole job."""
    match = _MEMORY.fullmatch(text)
    return "" if match is None else match[3]


def tres_processors(text: str) -> float:
    """Return the processors among trackable resources such as ``billing=8,cpu=8,mem=32G,node=1``."""
    return count(_tres(text).get("cpu", ""))


def tres_nodes(text: str) -> float:
    """Return the nodes among trackable resources."""
    return count(_tres(text).get("node", ""))


def tres_memory(text: str) -> float:
    """Return the memory among trackable resources, in KB."""
    return memory(_tres(text).get("mem", ""))


def tres_gpus(text: str) -> float:
    """Return the GPUs among trackable resources: ``gres/gpu=2``, else the sum of ``gres/gpu:a100=2``."""
    resources = _tres(text)
    if "gres/gpu" in resources:
        return count(resources["gres/gpu"])
    typed = [count(amount) for key, amount in resources.items() if key.startswith("gres/gpu:")]
    return float(sum(typed)) if typed else UNKNOWN


def tres_gpu_types(text: str) -> str:
    """Return the type of GPU among trackable resources, ``a100``; of several ``a100,v100``, of none the empty text."""
    types = (key.removeprefix("gres/gpu:") for key in _tres(text) if key.startswith("gres/gpu:"))
    return ",".join(types)


def _tres(text: str) -> dict[str, str]:
    return {key.strip(): amount for key, _, amount in (part.partition("=") for part in text.split(","))}
