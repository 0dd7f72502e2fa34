"""Where compiled loops are kept on disk, and how processes share them.

numba keeps what it compiled below ``NUMBA_CACHE_DIR``, in a folder named by a hash of the source's path: a second clone
would compile everything again. `SharedCache` names the folder by the module instead; that the source is the same is
numba's own check (each index holds a hash of its file), and that the helpers compiled into a loop are the same is the
business of the program that sets ``NUMBA_CACHE_DIR`` (``leafspace.compiled_code`` puts a hash of all the code into it).

A loop that is not there yet is compiled by one process at a time: the others wait, and load what that one has saved.

numba numbers the functions that it compiles from 1 on in every process, and these numbers alone tell apart functions
that have the same name and types, such as the partitions of its sort and of its argsort. Where loops of two processes
were loaded together, one would call the other's function. So each function has a random number here.
"""

import fcntl
import os
import secrets
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

from numba.core import caching, config
from numba.core.bytecode import FunctionIdentity
from numba.core.caching import (
    CompileResultCacheImpl,
    FunctionCache,
    IndexDataCacheFile,
    InTreeCacheLocator,
    UserProvidedCacheLocator,
    UserWideCacheLocator,
)
from numba.core.sigutils import normalize_signature

from . import brief_errors, late_machine_code

_may_compile = True
_LONGEST_WAIT_SECONDS = 120.0  # then it is compiled here, too: no compilation takes as long
_SECONDS_BETWEEN_LOOKS = 0.02
_NUMBER_BITS = 62
_CUT_OFF = EOFError, caching.pickle.UnpicklingError  # as what numba reads its own files with has it

# Drawn one by one from the system, so that processes that are forked do not share them either.
FunctionIdentity._unique_ids = iter(lambda: secrets.randbits(_NUMBER_BITS), None)  # noqa: SLF001  # nothing public has them


brief_errors.install()
late_machine_code.install()


class NotCompiled(Exception):
    """A loop is not in the cache, and this process may not compile it."""


def only_load() -> bool:
    """Have this process load loops from the cache, without compiling any (``NotCompiled``) or writing there.

    Return whether there is a cache.
    """
    global _may_compile  # noqa: PLW0603  # once in the life of a process
    _may_compile = False
    return bool(config.CACHE_DIR)


class ModuleLocator(UserProvidedCacheLocator):  # type: ignore[misc]  # numba ships no types
    """Keeps a module's loops below ``NUMBA_CACHE_DIR`` in a folder named like the module's package."""

    def __init__(self, py_func: Callable[..., Any], py_file: str) -> None:
        super().__init__(py_func, py_file)
        self._cache_path = os.path.join(config.CACHE_DIR, py_func.__module__.rpartition(".")[0])  # noqa: PTH118  # numba's


class _CompileResults(CompileResultCacheImpl):  # type: ignore[misc]  # numba ships no types
    _locator_classes = (ModuleLocator, InTreeCacheLocator, UserWideCacheLocator)


class _CacheFile(IndexDataCacheFile):  # type: ignore[misc]  # numba ships no types
    """Takes a file that was cut off, as where a machine lost its power, for none: its loop is compiled again."""

    def _load_index(self) -> dict[Any, str]:
        try:
            index: dict[Any, str] = super()._load_index()
        except _CUT_OFF:
            return {}
        return index

    def _load_data(self, name: str) -> Any:
        try:
            return super()._load_data(name)
        except _CUT_OFF as error:
            raise FileNotFoundError(name) from error


class SharedCache(FunctionCache):  # type: ignore[misc]  # numba ships no types
    """The compiled forms of one loop; while one process compiles a form of it, others wait for the outcome.

    numba looks for a form, compiles it if there is none, and saves it: the lock is taken when nothing is found, and
    released when the form is saved. A process that fails in between releases it at its end, or when it looks again.
    """

    _impl_class = _CompileResults

    def __init__(self, py_func: Callable[..., Any]) -> None:
        super().__init__(py_func)
        stamp = self._impl.locator.get_source_stamp()
        self._cache_file = _CacheFile(self._cache_path, self._impl.filename_base, stamp)
        self._lock_file = Path(self.cache_path, f"{self._impl.filename_base}.lock")
        self._lock: int | None = None

    def load_overload(self, sig: Any, target_context: Any) -> Any:  # numba's own types
        """Return the form for these types; ``None``, and the lock taken, if it is for this process to compile it."""
        self._release()
        overload = super().load_overload(sig, target_context)
        if overload is None and not _may_compile:
            raise NotCompiled(self._impl.filename_base)
        if overload is None and self._acquire():
            overload = super().load_overload(sig, target_context)  # the process before may just have saved it
            if overload is not None:
                self._release()
        return overload

    def _index_key(self, sig: Any, codegen: Any) -> Any:
        # A loop that declares its types asks with a signature, a call with its arguments' types alone: for numba these
        # are two forms, though a process that has compiled either runs it for both.
        return super()._index_key(normalize_signature(sig)[0], codegen)

    def kept_types(self) -> list[Any]:
        """Return the types of the forms that are on disk, as numba has them."""
        return [types for types, *_ in self._cache_file._load_index()]  # noqa: SLF001  # nothing public has them

    def save_overload(self, sig: Any, data: Any) -> None:  # numba's own types
        """Save a form that was compiled here."""
        try:
            super().save_overload(sig, data)
        finally:
            self._release()

    def _acquire(self) -> bool:
        """Whether somebody else may have compiled meanwhile."""
        with suppress(OSError):  # a folder that cannot be written: everybody compiles for themselves
            self._lock_file.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
            self._lock = os.open(self._lock_file, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
            until = time.monotonic() + _LONGEST_WAIT_SECONDS
            while not _locked(self._lock) and time.monotonic() < until:
                time.sleep(_SECONDS_BETWEEN_LOOKS)
            return True
        return False

    def _release(self) -> None:
        if self._lock is not None:
            os.close(self._lock)
            self._lock = None


def _locked(descriptor: int) -> bool:
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True


def share(dispatcher: Any) -> Any:  # numba's dispatcher
    """Keep a loop's compiled forms in a `SharedCache`; return the loop."""
    dispatcher._cache = SharedCache(dispatcher.py_func)  # noqa: SLF001  # what njit(cache=True) does with its own class
    return dispatcher
