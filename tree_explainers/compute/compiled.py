"""How hot loops are compiled: once, kept on disk, without holding the interpreter's lock while they run.

Nothing is compiled when a module is imported. Loops that jobs run are compiled when they are first called. Loops that
answer requests declare their types, so that ``compile_ahead`` can compile them before the first request.

No loop is compiled as parallel: two threads that enter numba's own thread pool at once would end the process. Callers
share the work among ordinary threads.
"""

from collections.abc import Callable
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


def times_compiled() -> int:
    """Return how many times this process has compiled a loop because the cache did not have it."""
    return sum(sum(loop.stats.cache_misses.values()) for loop in _ALL)
