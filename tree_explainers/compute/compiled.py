"""How hot loops are compiled: once, kept on disk, without holding the interpreter's lock while they run.

No loop is compiled as parallel: two threads that enter numba's own thread pool at once would end the process. Work
is shared among ordinary threads by those who call the loops.
"""

from collections.abc import Callable
from typing import Any, TypeVar, cast

from numba import njit

from .code_cache import share

Loop = TypeVar("Loop", bound=Callable[..., Any])


def compiled(loop: Loop) -> Loop:
    """Compile a loop over arrays when it is first called, for the types it is called with."""
    return cast("Loop", share(njit(nogil=True)(loop)))


def inlined(loop: Loop) -> Loop:
    """Compile a small loop as part of the compiled loops that call it, in the same file."""
    return cast("Loop", njit(nogil=True, forceinline=True)(loop))


def compiled_for(signature: Any) -> Callable[[Loop], Loop]:  # noqa: ANN401  # text or a numba type
    """Compile a loop over arrays when its module is imported, for these types: it never compiles in a request.

    Other types, read-only arrays among them, are a ``TypeError``.
    """

    def compile_now(loop: Loop) -> Loop:
        dispatcher = share(njit(nogil=True)(loop))
        dispatcher.compile(signature)
        dispatcher.disable_compile()
        return cast("Loop", dispatcher)

    return compile_now
