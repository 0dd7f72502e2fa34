"""seccomp: the kernel refuses system calls that reading a file never needs: sockets, programs, other processes.

A filter is a short program of the kernel's that checks each call's number. Threads may still be started. The tables
of numbers come first, one for each kind of processor.
"""

import ctypes
import errno
import os
import platform
import sys
from collections.abc import Iterable
from dataclasses import dataclass

_X86_64 = {
    "shmget": 29,  # no limit of a process counts what these hold, and some of it outlives the process
    "semget": 64,
    "msgget": 68,
    "mq_open": 240,
    "inotify_init": 253,
    "inotify_init1": 294,
    "memfd_create": 319,
    "socket": 41,
    "connect": 42,
    "accept": 43,
    "sendto": 44,
    "sendmsg": 46,
    "bind": 49,
    "listen": 50,
    "socketpair": 53,
    "fork": 57,
    "vfork": 58,
    "execve": 59,
    "kill": 62,
    "chmod": 90,
    "fchmod": 91,
    "chown": 92,
    "fchown": 93,
    "lchown": 94,
    "ptrace": 101,
    "rt_sigqueueinfo": 129,
    "utime": 132,
    "setpriority": 141,
    "mount": 165,
    "umount2": 166,
    "init_module": 175,
    "setxattr": 188,
    "lsetxattr": 189,
    "fsetxattr": 190,
    "removexattr": 197,
    "lremovexattr": 198,
    "fremovexattr": 199,
    "tkill": 200,
    "utimes": 235,
    "add_key": 248,
    "request_key": 249,
    "keyctl": 250,
    "ioprio_set": 251,
    "migrate_pages": 256,
    "fchownat": 260,
    "futimesat": 261,
    "fchmodat": 268,
    "unshare": 272,
    "move_pages": 279,
    "utimensat": 280,
    "accept4": 288,
    "rt_tgsigqueueinfo": 297,
    "perf_event_open": 298,
    "open_by_handle_at": 304,
    "sendmmsg": 307,
    "setns": 308,
    "process_vm_readv": 310,
    "process_vm_writev": 311,
    "kcmp": 312,
    "finit_module": 313,
    "bpf": 321,
    "execveat": 322,
    "userfaultfd": 323,
}
_AARCH64 = {
    "setxattr": 5,
    "lsetxattr": 6,
    "fsetxattr": 7,
    "removexattr": 14,
    "shmget": 194,
    "semget": 190,
    "msgget": 186,
    "mq_open": 180,
    "inotify_init1": 26,
    "memfd_create": 279,
    "lremovexattr": 15,
    "fremovexattr": 16,
    "ioprio_set": 30,
    "umount2": 39,
    "mount": 40,
    "fchmod": 52,
    "fchmodat": 53,
    "fchownat": 54,
    "fchown": 55,
    "utimensat": 88,
    "unshare": 97,
    "init_module": 105,
    "ptrace": 117,
    "kill": 129,
    "tkill": 130,
    "rt_sigqueueinfo": 138,
    "setpriority": 140,
    "socket": 198,
    "socketpair": 199,
    "bind": 200,
    "listen": 201,
    "accept": 202,
    "connect": 203,
    "sendto": 206,
    "sendmsg": 211,
    "add_key": 217,
    "request_key": 218,
    "keyctl": 219,
    "execve": 221,
    "migrate_pages": 238,
    "move_pages": 239,
    "rt_tgsigqueueinfo": 240,
    "perf_event_open": 241,
    "accept4": 242,
    "open_by_handle_at": 265,
    "setns": 268,
    "sendmmsg": 269,
    "process_vm_readv": 270,
    "process_vm_writev": 271,
    "kcmp": 272,
    "finit_module": 273,
    "bpf": 280,
    "execveat": 281,
    "userfaultfd": 282,
}
# Since 2019 calls are numbered alike everywhere.
_EVERYWHERE = {
    "pidfd_send_signal": 424,
    "io_uring_setup": 425,  # it does nearly all of this unseen
    "io_uring_enter": 426,
    "open_tree": 428,
    "move_mount": 429,
    "fsopen": 430,
    "pidfd_open": 434,
    "pidfd_getfd": 438,
    "process_madvise": 440,
    "mount_setattr": 442,
    "memfd_secret": 447,
    "process_mrelease": 448,
    "fchmodat2": 452,
    "setxattrat": 463,
    "removexattrat": 466,
    "file_setattr": 469,
}


@dataclass(frozen=True, slots=True)
class _Architecture:
    """How one kind of processor numbers its calls."""

    audit_number: int
    refused: frozenset[int]
    own_process_only: frozenset[int]  # the first argument says whose; all others but 0 are refused
    signalling_process: frozenset[int]  # the same, but for 0: abort() of the C library signals its own thread
    fcntl: int
    mmap: int
    clone: int


_ARCHITECTURES = {
    "x86_64": _Architecture(
        audit_number=0xC000003E,
        refused=frozenset({*_X86_64.values(), *_EVERYWHERE.values()}),
        # sched_setparam, sched_setscheduler, sched_setaffinity, prlimit64, sched_setattr
        own_process_only=frozenset({142, 144, 203, 302, 314}),
        signalling_process=frozenset({234}),
        fcntl=72,
        mmap=9,
        clone=56,
    ),
    "aarch64": _Architecture(
        audit_number=0xC00000B7,
        refused=frozenset({*_AARCH64.values(), *_EVERYWHERE.values()}),
        own_process_only=frozenset({118, 119, 122, 261, 274}),
        signalling_process=frozenset({131}),
        fcntl=25,
        mmap=222,
        clone=220,
    ),
}
"""By the name that the machine gives itself."""

_CLONE_3 = 435
_SIGNAL_OWNERS = (8, 10, 15)
"""What fcntl takes to have the kernel signal any process when a file can be read: F_SETOWN, F_SETSIG, F_SETOWN_EX."""

_PR_SET_SECCOMP = 22
_PR_GET_SECCOMP = 21
_MODE_FILTER = 2

# Instructions: load a word of the call's description, jump where it is equal, jump where a bit is set, answer.
_LOAD, _JUMP_EQUAL, _JUMP_AT_LEAST, _JUMP_SET, _ANSWER = 0x20, 0x15, 0x35, 0x45, 0x06
_NUMBER_AT, _ARCHITECTURE_AT = 0, 4
_MMAP_FLAGS_AT = 40
_MAP_SHARED, _MAP_ANONYMOUS = 0x01, 0x20
_ARGUMENTS_AT = (16, 24)  # the lower halves: the kernel reads no more of a process id
_ALLOW, _KILL = 0x7FFF0000, 0x80000000
_NOT_PERMITTED, _UNKNOWN = 0x00050000 | errno.EPERM, 0x00050000 | errno.ENOSYS
_CLONE_THREAD = 0x00010000
_OTHER_CALLING_CONVENTION = 0x40000000  # x32 on x86-64: the same calls by other numbers


class _Instruction(ctypes.Structure):
    _fields_ = (("code", ctypes.c_uint16), ("yes", ctypes.c_uint8), ("no", ctypes.c_uint8), ("value", ctypes.c_uint32))


class _Program(ctypes.Structure):
    _fields_ = (("n_instructions", ctypes.c_uint16), ("instructions", ctypes.POINTER(_Instruction)))


def is_available() -> bool:
    """Return whether the kernel filters calls, and this processor's are known."""
    if sys.platform != "linux" or platform.machine() not in _ARCHITECTURES:
        return False
    return int(ctypes.CDLL(None).prctl(_PR_GET_SECCOMP, 0, 0, 0, 0)) >= 0


def refuse_calls() -> None:
    """Refuse this thread, and all that it starts, sockets, programs and other processes; needs NO_NEW_PRIVS.

    Raises
    ------
    OSError
        Where the kernel filters calls and refuses the filter.
    """
    if not is_available():
        return
    program = _program(_ARCHITECTURES[platform.machine()], os.getpid())
    described = _Program(len(program), (_Instruction * len(program))(*program))
    libc = ctypes.CDLL(None, use_errno=True)
    if libc.prctl(_PR_SET_SECCOMP, _MODE_FILTER, ctypes.byref(described), 0, 0) != 0:
        code = ctypes.get_errno()
        raise OSError(code, os.strerror(code))


def _program(machine: _Architecture, own_process: int) -> list[_Instruction]:
    """Return the filter; jumps count the instructions that are left out."""
    program = [
        _Instruction(_LOAD, 0, 0, _ARCHITECTURE_AT),
        _Instruction(_JUMP_EQUAL, 1, 0, machine.audit_number),
        _Instruction(_ANSWER, 0, 0, _KILL),
        _Instruction(_LOAD, 0, 0, _NUMBER_AT),
        _Instruction(_JUMP_AT_LEAST, 0, 1, _OTHER_CALLING_CONVENTION),
        _Instruction(_ANSWER, 0, 0, _KILL),
        # The C library falls back on clone, whose flags can be seen here; those of clone3 cannot.
        *_answered([_CLONE_3], _UNKNOWN),
        *_answered(machine.refused, _NOT_PERMITTED),
        *_by_argument(machine.fcntl, 1, _SIGNAL_OWNERS, _NOT_PERMITTED, _ALLOW),
    ]
    for number in machine.own_process_only:
        program += _by_argument(number, 0, (0, own_process), _ALLOW, _NOT_PERMITTED)
    for number in machine.signalling_process:
        program += _by_argument(number, 0, (own_process,), _ALLOW, _NOT_PERMITTED)
    return [
        *program,
        # Memory that is shared and no file's: limits of memory do not count it.
        _Instruction(_JUMP_EQUAL, 0, 5, machine.mmap),
        _Instruction(_LOAD, 0, 0, _MMAP_FLAGS_AT),
        _Instruction(_JUMP_SET, 0, 2, _MAP_ANONYMOUS),
        _Instruction(_JUMP_SET, 0, 1, _MAP_SHARED),
        _Instruction(_ANSWER, 0, 0, _NOT_PERMITTED),
        _Instruction(_ANSWER, 0, 0, _ALLOW),
        _Instruction(_JUMP_EQUAL, 1, 0, machine.clone),
        _Instruction(_ANSWER, 0, 0, _ALLOW),
        _Instruction(_LOAD, 0, 0, _ARGUMENTS_AT[0]),
        _Instruction(_JUMP_SET, 0, 1, _CLONE_THREAD),
        _Instruction(_ANSWER, 0, 0, _ALLOW),
        _Instruction(_ANSWER, 0, 0, _NOT_PERMITTED),
    ]


def _answered(numbers: Iterable[int], answer: int) -> list[_Instruction]:
    """Answer these calls, and let all others go on."""
    program = []
    for number in sorted(numbers):
        program += [_Instruction(_JUMP_EQUAL, 0, 1, number), _Instruction(_ANSWER, 0, 0, answer)]
    return program


def _by_argument(
    number: int, argument: int, listed: tuple[int, ...], if_listed: int, otherwise: int
) -> list[_Instruction]:
    """Answer a call by one of its arguments, and let all other calls go on."""
    n_listed = len(listed)
    return [
        _Instruction(_JUMP_EQUAL, 0, n_listed + 3, number),
        _Instruction(_LOAD, 0, 0, _ARGUMENTS_AT[argument]),
        *(_Instruction(_JUMP_EQUAL, n_listed - index, 0, value) for index, value in enumerate(listed)),
        _Instruction(_ANSWER, 0, 0, otherwise),
        _Instruction(_ANSWER, 0, 0, if_listed),
    ]
