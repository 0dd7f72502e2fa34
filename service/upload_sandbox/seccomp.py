"""seccomp: the kernel refuses this process whatever reading a file never needs: sockets, programs, other processes.

A filter is a short program of the kernel's own that looks at each call's number. Threads may still be started.
"""

import ctypes
import errno
import os
import platform
import sys
from collections.abc import Iterable

from .system_calls import ARCHITECTURES, CLONE_3, SIGNAL_OWNERS, Architecture

_PR_SET_SECCOMP = 22
_PR_GET_SECCOMP = 21
_MODE_FILTER = 2

# Instructions: load a word of the call's description, jump where it is equal, jump where a bit is set, answer.
_LOAD, _JUMP_EQUAL, _JUMP_AT_LEAST, _JUMP_SET, _ANSWER = 0x20, 0x15, 0x35, 0x45, 0x06
_NUMBER_AT, _ARCHITECTURE_AT = 0, 4
_ARGUMENTS_AT = (16, 24)  # the lower halves: the kernel looks at no more of a process id
_ALLOW, _KILL = 0x7FFF0000, 0x80000000
_NOT_PERMITTED, _NOT_KNOWN = 0x00050000 | errno.EPERM, 0x00050000 | errno.ENOSYS
_CLONE_THREAD = 0x00010000
_OTHER_CALLING_CONVENTION = 0x40000000  # x32 on x86-64: the same calls by other numbers


class _Instruction(ctypes.Structure):
    _fields_ = (("code", ctypes.c_uint16), ("yes", ctypes.c_uint8), ("no", ctypes.c_uint8), ("value", ctypes.c_uint32))


class _Program(ctypes.Structure):
    _fields_ = (("n_instructions", ctypes.c_uint16), ("instructions", ctypes.POINTER(_Instruction)))


def is_available() -> bool:
    """Return whether the kernel filters calls, and this processor's are known."""
    if sys.platform != "linux" or platform.machine() not in ARCHITECTURES:
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
    program = _program(ARCHITECTURES[platform.machine()], os.getpid())
    described = _Program(len(program), (_Instruction * len(program))(*program))
    libc = ctypes.CDLL(None, use_errno=True)
    if libc.prctl(_PR_SET_SECCOMP, _MODE_FILTER, ctypes.byref(described), 0, 0) != 0:
        code = ctypes.get_errno()
        raise OSError(code, os.strerror(code))


def _program(machine: Architecture, own_process: int) -> list[_Instruction]:
    """Return the filter; jumps count the instructions that are left out."""
    program = [
        _Instruction(_LOAD, 0, 0, _ARCHITECTURE_AT),
        _Instruction(_JUMP_EQUAL, 1, 0, machine.audit_number),
        _Instruction(_ANSWER, 0, 0, _KILL),
        _Instruction(_LOAD, 0, 0, _NUMBER_AT),
        _Instruction(_JUMP_AT_LEAST, 0, 1, _OTHER_CALLING_CONVENTION),
        _Instruction(_ANSWER, 0, 0, _KILL),
        # The C library falls back on clone, whose flags can be seen here; those of clone3 cannot.
        *_answered([CLONE_3], _NOT_KNOWN),
        *_answered(machine.refused, _NOT_PERMITTED),
        *_by_argument(machine.fcntl, 1, SIGNAL_OWNERS, _NOT_PERMITTED, _ALLOW),
    ]
    for number in machine.own_process_only:
        program += _by_argument(number, 0, (0, own_process), _ALLOW, _NOT_PERMITTED)
    for number in machine.signalling_process:
        program += _by_argument(number, 0, (own_process,), _ALLOW, _NOT_PERMITTED)
    return [
        *program,
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
        *(_Instruction(_JUMP_EQUAL, n_listed - place, 0, value) for place, value in enumerate(listed)),
        _Instruction(_ANSWER, 0, 0, otherwise),
        _Instruction(_ANSWER, 0, 0, if_listed),
    ]
