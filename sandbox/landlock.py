"""Landlock: the kernel lets this process access some folders and no others, and no network.

Left out where the kernel knows no Landlock, and what it does not know yet; ``version`` says how much it knows.
"""

import ctypes
import errno
import os
import sys
from collections.abc import Mapping
from pathlib import Path

# The same numbers on every architecture.
_CREATE_RULESET, _ADD_RULE, _RESTRICT_SELF = 444, 445, 446
_VERSION_QUERY = 1
_RULE_PATH_BENEATH = 1

_WRITE_FILE, _READ_FILE, _READ_DIR, _REMOVE_FILE, _MAKE_REG, _TRUNCATE = (1 << bit for bit in (1, 2, 3, 5, 8, 14))
READ = _READ_FILE | _READ_DIR
READ_AND_WRITE = READ | _WRITE_FILE | _REMOVE_FILE | _MAKE_REG | _TRUNCATE
"""Regular files alone: no links, devices, sockets or folders are made, and nothing is executed."""

_OF_FILES = READ_AND_WRITE & ~(_READ_DIR | _REMOVE_FILE | _MAKE_REG)

# How many rights on files each version knows, from the first on; later versions know as many as the last.
_N_FILE_RIGHTS = (13, 14, 15, 15, 16)
_NETWORK_SINCE, _TCP_BIND_AND_CONNECT = 4, 0b11
_SCOPES_SINCE, _ABSTRACT_SOCKETS_AND_SIGNALS = 6, 0b11


class _Ruleset(ctypes.Structure):
    _fields_ = (("files", ctypes.c_uint64), ("network", ctypes.c_uint64), ("scopes", ctypes.c_uint64))


class _PathBeneath(ctypes.Structure):
    _pack_ = 1
    _fields_ = (("rights", ctypes.c_uint64), ("folder", ctypes.c_int32))


def version() -> int:
    """Return the version of Landlock that the kernel has; 0 where it has none."""
    if sys.platform != "linux":
        return 0
    found = int(_libc().syscall(_CREATE_RULESET, None, ctypes.c_size_t(0), ctypes.c_uint32(_VERSION_QUERY)))
    return max(0, found)


def allow_only(rights: Mapping[Path, int]) -> None:
    """Refuse this thread, and all that it starts, every file but those beneath the paths, and TCP.

    Paths that do not exist are left out. Files that are open already stay open. Needs ``PR_SET_NO_NEW_PRIVS``.

    Raises
    ------
    OSError
        Where the kernel knows Landlock and refuses the rules.
    """
    known = version()
    if not known:
        return
    ruleset = _ruleset(known)
    descriptor = _call(_CREATE_RULESET, ctypes.byref(ruleset), ctypes.c_size_t(_size(known)), ctypes.c_uint32(0))
    try:
        for path, allowed in rights.items():
            if path.exists():
                _allow(descriptor, path, allowed & ruleset.files)
        _call(_RESTRICT_SELF, ctypes.c_int(descriptor), ctypes.c_uint32(0))
    finally:
        os.close(descriptor)


def _ruleset(known: int) -> _Ruleset:
    """Return what is refused unless a rule allows it: all that this version knows."""
    n_file_rights = _N_FILE_RIGHTS[min(known, len(_N_FILE_RIGHTS)) - 1]
    network = _TCP_BIND_AND_CONNECT if known >= _NETWORK_SINCE else 0
    scopes = _ABSTRACT_SOCKETS_AND_SIGNALS if known >= _SCOPES_SINCE else 0
    return _Ruleset((1 << n_file_rights) - 1, network, scopes)


def _size(known: int) -> int:
    # Kernels refuse a structure whose later fields they do not know, but only where those are not zero.
    return 8 if known < _NETWORK_SINCE else 16 if known < _SCOPES_SINCE else 24


def _allow(ruleset: int, path: Path, rights: int) -> None:
    folder = os.open(path, os.O_PATH | os.O_CLOEXEC)
    try:
        rule = _PathBeneath(rights if path.is_dir() else rights & _OF_FILES, folder)
        _call(
            _ADD_RULE, ctypes.c_int(ruleset), ctypes.c_int(_RULE_PATH_BENEATH), ctypes.byref(rule), ctypes.c_uint32(0)
        )
    finally:
        os.close(folder)


def _call(number: int, *arguments: object) -> int:
    result = int(_libc().syscall(ctypes.c_long(number), *arguments))
    if result < 0:
        code = ctypes.get_errno()
        msg = f"Landlock refused ({errno.errorcode.get(code, code)})"
        raise OSError(code, msg)
    return result


def _libc() -> ctypes.CDLL:
    return ctypes.CDLL(None, use_errno=True)
