"""How hot loops are compiled: once, kept on disk, without holding the interpreter's lock while they run.

Nothing is compiled when a module is imported. Loops that jobs run are compiled when they are first called. Loops that
answer requests declare their types, so that ``compile_ahead`` can compile them before the first request.

No loop is compiled as parallel: two threads that enter numba's own thread pool at once would end the process. Callers
share the work among ordinary threads.
"""

from collections.abc import Callable, Collection
from typing import Any, TypeVar, cast

from numba import njit
from numba.core.registry import cpu_target

from .code_cache import share

Loop = TypeVar("Loop", bound=Callable[..., Any])

_ALL: list[Any] = []  # numba's dispatchers of the modules that have been imported
_AHEAD: list[tuple[Any, Any]] = []  # dispatchers that declare their types, and these types


def compiled(loop: Loop) -> Loop:
    """Compile a loop over arrays when it is first called, for the types it is called with."""
    _ALL.append(share(njit(nogil=True)(loop)))
    return cast("Loop", _ALL[-1])


def inlined(loop: Loop) -> Loop:
    """Compile a small loop as part of the compiled loops that call it, in the same file."""
    return cast("Loop", njit(nogil=True, forceinline=True)(loop))


def inlined_reader(loop: Loop) -> Loop:
    """Compile a small loop that makes no arrays as part of the loops that call it.

    Its callers hold the arrays that it reads, so that references to them are not counted: in the innermost loops this
    would take longer than the reading.
    """
    return cast("Loop", njit(nogil=True, forceinline=True, _nrt=False)(loop))


def compiled_ahead(*signatures: Any) -> Callable[[Loop], Loop]:  # noqa: ANN401  # texts or numba types
    """Compile a loop over arrays when ``compile_ahead`` is called, for these types, or else when it is first called.

    After ``compile_ahead``, other types, read-only arrays among them, are a ``TypeError``.
    """

    def declare(loop: Loop) -> Loop:
        dispatcher = compiled(loop)
        _AHEAD.extend((dispatcher, signature) for signature in signatures)
        return dispatcher

    return declare


def compile_ahead() -> None:
    """Compile the loops of all imported modules that declare their types, or load them from the cache.

    From then on they are never compiled again: nothing is compiled while a request waits.
    """
    declared = _AHEAD.copy()
    _AHEAD.clear()  # those of modules that are imported later are compiled by the next call
    for dispatcher, signature in declared:
        dispatcher.compile(signature)
    for dispatcher, _ in declared:
        dispatcher.disable_compile()


def load_compiler() -> None:
    """Load what numba would load with the first loop: processes that are forked later each save a fifth of a second."""
    cpu_target.typing_context.refresh()
    cpu_target.target_context.refresh()


def loaded_loops() -> list[tuple[str, str]]:
    """Return which loops this process has loaded or compiled: the name of each, and its types as a text."""
    return [(_name_of(loop), str(types)) for loop in _ALL for types in loop.overloads]


def load_loops(wanted: Collection[tuple[str, str]]) -> int:
    """Load loops that another process has loaded, so that processes that are forked later find them; return how many.

    What is not in the cache, or is no loop of a module that this process has imported, is left out.
    """
    missing = set(wanted).difference(loaded_loops())
    names = {name for name, _ in missing}
    n_loaded = 0
    for loop in _ALL:
        if _name_of(loop) in names:
            for types in loop._cache.kept_types():  # noqa: SLF001  # a ``SharedCache``
                if (_name_of(loop), str(types)) in missing:
                    loop.compile(types)
                    n_loaded += 1
    return n_loaded


def _name_of(loop: Any) -> str:  # noqa: ANN401  # numba's dispatcher
    return f"{loop.py_func.__module__}.{loop.py_func.__qualname__}"


def times_compiled() -> int:
    """Return how many times this process has compiled a loop because the cache did not have it."""
    return sum(sum(loop.stats.cache_misses.values()) for loop in _ALL)
