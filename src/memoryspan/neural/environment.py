"""Settings of the process that make training on CPUs fast. Imports no torch, on purpose.

``prepare_environment`` must run before torch is imported for the first time: OpenMP reads its
variables once. It leaves alone what the user has set.
"""

import ctypes
import os
import platform

import psutil

# mallopt(3), malloc.h
_M_TRIM_THRESHOLD = -1
_M_MMAP_MAX = -4
_NEVER_TRIM = 2**31 - 1


# GNU OpenMP lets idle threads spin. When another process uses the same CPUs that makes a step
# many times slower; a short spin costs nothing on a quiet machine. (An LSTM layer forward and
# backward on two CPUs, alone and beside one busy process: 10,000 turns 8.5 and 210 ms; 1,000
# turns 8.5 and 30 ms; 100 turns 20 and 22 ms.)
OPENMP_SETTINGS = {"GOMP_SPINCOUNT": "1000"}

_set_here: set[str] = set()


def prepare_environment() -> None:
    """Set what OpenMP reads when torch is imported."""
    for name, value in OPENMP_SETTINGS.items():
        if name not in os.environ:
            os.environ[name] = value
            _set_here.add(name)


def restore_environment() -> None:
    """Undo ``prepare_environment`` once torch is imported: child processes are not ours to tune."""
    while _set_here:
        os.environ.pop(_set_here.pop(), None)


def keep_large_buffers() -> None:
    """Let glibc keep freed buffers of more than 32 MB (softmax outputs) instead of unmapping them.

    Every buffer given back is faulted in again page by page in the next step. Does nothing where
    the C library is not glibc.
    """
    if platform.libc_ver()[0] != "glibc":
        return
    libc = ctypes.CDLL(None)
    libc.mallopt(_M_MMAP_MAX, 0)
    libc.mallopt(_M_TRIM_THRESHOLD, _NEVER_TRIM)


def cpu_threads() -> int:
    """OMP_NUM_THREADS if the user has set it, else the physical CPUs that this process may use."""
    wanted = os.environ.get("OMP_NUM_THREADS", "")
    if wanted.isdecimal() and int(wanted) > 0:
        return int(wanted)
    allowed = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count()
    physical = psutil.cpu_count(logical=False)
    return max(1, min(physical or 1, allowed or 1))
