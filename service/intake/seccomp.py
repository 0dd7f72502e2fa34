"""seccomp: the kernel refuses this process whatever reading a file never needs: sockets, programs, other processes.

A filter is a short program of the kernel's own that looks at each call's number. Threads may still be started.
"""

import ctypes
import os
import platform
import sys
from dataclasses import dataclass

_PR_SET_SECCOMP = 22
_PR_GET_SECCOMP = 21
_MODE_FILTER = 2

# Instructions: load a word of the call's description, jump where it is equal, jump where a bit is set, answer.
_LOAD, _JUMP_EQUAL, _JUMP_AT_LEAST, _JUMP_SET, _ANSWER = 0x20, 0x15, 0x35, 0x45, 0x06
_NUMBER_AT, _ARCHITECTURE_AT, _FIRST_ARGUMENT_AT = 0, 4, 16
_ALLOW, _REFUSE, _KILL = 0x7FFF0000, 0x00050000, 0x80000000
_EPERM, _ENOSYS = 1, 38
_CLONE_THREAD = 0x00010000
_CLONE_3 = 435
_OTHER_CALLING_CONVENTION = 0x40000000  # x32 on x86-64: the same calls by other numbers

_X86_64 = {
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
    "ptrace": 101,
    "mount": 165,
    "init_module": 175,
    "keyctl": 250,
    "add_key": 248,
    "request_key": 249,
    "unshare": 272,
    "accept4": 288,
    "perf_event_open": 298,
    "open_by_handle_at": 304,
    "sendmmsg": 307,
    "setns": 308,
    "process_vm_readv": 310,
    "process_vm_writev": 311,
    "finit_module": 313,
    "bpf": 321,
    "execveat": 322,
    "userfaultfd": 323,
}
_AARCH64 = {
    "mount": 40,
    "unshare": 97,
    "init_module": 105,
    "ptrace": 117,
    "kill": 129,
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
    "perf_event_open": 241,
    "accept4": 242,
    "open_by_handle_at": 265,
    "setns": 268,
    "sendmmsg": 269,
    "process_vm_readv": 270,
    "process_vm_writev": 271,
    "finit_module": 273,
    "bpf": 280,
    "execveat": 281,
    "userfaultfd": 282,
}
# Numbered alike everywhere: signals by process handle, io_uring (which does all of the above unseen), handles.
_EVERYWHERE = {"pidfd_send_signal": 424, "io_uring_setup": 425, "io_uring_enter": 426, "pidfd_open": 434}


@dataclass(frozen=True, slots=True)
class _Architecture:
    """How one kind of processor numbers its calls."""

    audit_number: int
    calls: dict[str, int]
    clone: int


_ARCHITECTURES = {
    "x86_64": _Architecture(0xC000003E, _X86_64, clone=56),
    "aarch64": _Architecture(0xC00000B7, _AARCH64, clone=220),
}


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
    program = _program(_ARCHITECTURES[platform.machine()])
    described = _Program(len(program), (_Instruction * len(program))(*program))
    libc = ctypes.CDLL(None, use_errno=True)
    if libc.prctl(_PR_SET_SECCOMP, _MODE_FILTER, ctypes.byref(described), 0, 0) != 0:
        code = ctypes.get_errno()
        raise OSError(code, os.strerror(code))


def _program(machine: _Architecture) -> list[_Instruction]:
    """Return the filter; jumps count the instructions that are left out."""
    refused = sorted({*machine.calls.values(), *_EVERYWHERE.values()})
    program = [
        _Instruction(_LOAD, 0, 0, _ARCHITECTURE_AT),
        _Instruction(_JUMP_EQUAL, 1, 0, machine.audit_number),
        _Instruction(_ANSWER, 0, 0, _KILL),
        _Instruction(_LOAD, 0, 0, _NUMBER_AT),
        _Instruction(_JUMP_AT_LEAST, 0, 1, _OTHER_CALLING_CONVENTION),
        _Instruction(_ANSWER, 0, 0, _KILL),
        # The C library falls back on clone, whose flags can be seen here; those of clone3 cannot.
        _Instruction(_JUMP_EQUAL, 0, 1, _CLONE_3),
        _Instruction(_ANSWER, 0, 0, _REFUSE | _ENOSYS),
    ]
    for number in refused:
        program += [_Instruction(_JUMP_EQUAL, 0, 1, number), _Instruction(_ANSWER, 0, 0, _REFUSE | _EPERM)]
    return [
        *program,
        _Instruction(_JUMP_EQUAL, 1, 0, machine.clone),
        _Instruction(_ANSWER, 0, 0, _ALLOW),
        _Instruction(_LOAD, 0, 0, _FIRST_ARGUMENT_AT),
        _Instruction(_JUMP_SET, 0, 1, _CLONE_THREAD),
        _Instruction(_ANSWER, 0, 0, _ALLOW),
        _Instruction(_ANSWER, 0, 0, _REFUSE | _EPERM),
    ]
