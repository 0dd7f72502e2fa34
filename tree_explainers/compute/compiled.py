"""How hot loops are compiled: once, kept on disk, without holding the interpreter's lock while they run.

Nothing is compiled when a module is imported, nor is numba: it is loaded when the first loop is called. Loops that jobs
run are compiled when they are first called. Loops that answer requests declare their types, so that ``compile_ahead``
can compile them before the first request.

No loop is compiled as parallel: two threads that enter numba's own thread pool at once would end the process. Callers
share the work among ordinary threads.
"""

import sys
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager, nullcontext
from functools import update_wrapper
from importlib import import_module
from threading import RLock
from types import CodeType, FunctionType
from typing import Any, TypeAlias, TypeVar, cast

import numpy as np

Function = TypeVar("Function", bound=Callable[..., Any])
DeclaredTypes: TypeAlias = str | Callable[[Any], Sequence[Any]]
"""The types of a loop as a text, or a function that makes signatures of ``numba.types``: they take numba."""

_ALL: list["Loop"] = []  # of the modules that have been imported
_AHEAD: list[tuple["Loop", DeclaredTypes]] = []  # loops that declare their types, and these types
_handing_over = RLock()
_LINEAR_ALGEBRA = "scipy.linalg"


class Loop:
    """A loop that is handed over to numba when it is first called, or when a loop is that calls it.

    It has the name and the signature of its function, and what numba's dispatcher has: asking for that hands it over.
    One that ``is_called_by_loops`` alone has no entry for Python: compiling that takes a good part of the time.
    """

    def __init__(
        self, function: Callable[..., Any], *, is_kept: bool, is_called_by_loops: bool, **options: bool
    ) -> None:
        update_wrapper(self, function)
        self._function = cast("FunctionType", function)
        self._is_kept = is_kept
        self._is_called_by_loops = is_called_by_loops
        self._options = {"no_cfunc_wrapper": True, "no_cpython_wrapper": is_called_by_loops, **options}  # nor for C
        self._dispatcher: Any = None

    def __call__(self, *arguments: Any) -> Any:  # as the function has them
        """Run it, compiled for the types of these arguments."""
        dispatcher = self._dispatcher
        return (self.dispatcher() if dispatcher is None else dispatcher)(*arguments)

    def __getattr__(self, name: str) -> Any:  # numba's
        """Return what numba's dispatcher has under this name."""
        if name.startswith("_"):  # of a copy that is being made, say
            raise AttributeError(name)
        return getattr(self.dispatcher(), name)

    @property
    def is_handed_over(self) -> bool:
        """Whether numba knows it."""
        return self._dispatcher is not None

    def dispatcher(self) -> Any:  # numba ships no types
        """Return what numba runs, made if need be."""
        with _handing_over:
            if self._dispatcher is None:
                dispatcher = import_module("numba").njit(nogil=True, **self._options)(self._function)
                _ignore_literals(dispatcher)
                if self._is_called_by_loops:
                    _refuse_calls(dispatcher)
                # Numba takes the loops that this one calls from where its function finds them.
                for name in _names_in(self._function.__code__):
                    called = self._function.__globals__.get(name)
                    if isinstance(called, Loop):
                        self._function.__globals__[name] = dispatcher if called is self else called.dispatcher()
                self._dispatcher = (
                    import_module(".code_cache", __package__).share(dispatcher) if self._is_kept else dispatcher
                )
            return self._dispatcher


def _ignore_literals(dispatcher: Any) -> None:
    """Have a call with a constant, such as 0, run what calls with any number of its type run.

    numba would compile the loop for each of the constants, too, and into the same instructions.
    """
    template_of, unliteral = dispatcher.get_call_template, import_module("numba").types.unliteral

    def template_of_types(arguments: Sequence[Any], by_name: Mapping[str, Any]) -> Any:
        named = {name: unliteral(argument) for name, argument in by_name.items()}
        return template_of(tuple(map(unliteral, arguments)), named)

    dispatcher.get_call_template = template_of_types


def _refuse_calls(dispatcher: Any) -> None:
    """Have a call from Python raise a ``TypeError``: numba would go to where the entry for Python is not."""

    def refuse(*_: Any, **__: Any) -> None:
        message = f"only loops can call {_name_of(dispatcher)}"
        raise TypeError(message)

    dispatcher._insert = lambda *_, **__: None  # noqa: SLF001  # so that it looks in vain for a form that fits
    dispatcher._compile_for_args = refuse  # noqa: SLF001


def _names_in(code: CodeType) -> Iterator[str]:
    yield from code.co_names
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            yield from _names_in(constant)


def compiled(function: Function) -> Function:
    """Compile a loop over arrays when it is first called, for the types it is called with."""
    _ALL.append(Loop(function, is_kept=True, is_called_by_loops=False))
    return cast("Function", _ALL[-1])


def compiled_for_loops(function: Function) -> Function:
    """Compile a loop when a loop that calls it is compiled; Python cannot call it."""
    _ALL.append(Loop(function, is_kept=True, is_called_by_loops=True))
    return cast("Function", _ALL[-1])


def inlined(function: Function) -> Function:
    """Compile a small loop as part of the compiled loops that call it, in the same file; Python cannot call it."""
    return cast("Function", Loop(function, is_kept=False, is_called_by_loops=True, forceinline=True))


def inlined_reader(function: Function) -> Function:
    """Compile a small loop that makes no arrays as part of the loops that call it.

    Its callers hold the arrays that it reads, so that references to them are not counted: in the innermost loops this
    would take longer than the reading.
    """
    return cast("Function", Loop(function, is_kept=False, is_called_by_loops=True, forceinline=True, _nrt=False))


def compiled_ahead(types: DeclaredTypes) -> Callable[[Function], Function]:
    """Compile a loop over arrays when ``compile_ahead`` is called, for these types, or else when it is first called.

    After ``compile_ahead``, other types, read-only arrays among them, are a ``TypeError``.
    """

    def declare(function: Function) -> Function:
        loop = compiled(function)
        _AHEAD.append((_ALL[-1], types))
        return loop

    return declare


def array_of(dtype: np.dtype[Any], *, readonly: bool = False) -> Any:  # numba's type
    """Return numba's type of a contiguous array of records, in one dimension."""
    numba = import_module("numba")
    return numba.types.Array(numba.from_dtype(dtype), 1, "C", readonly=readonly)


def compile_ahead() -> None:
    """Compile the loops of all imported modules that declare their types, or load them from the cache.

    From then on they are never compiled again: nothing is compiled while a request waits.
    """
    declared = _AHEAD.copy()
    _AHEAD.clear()  # those of modules that are imported later are compiled by the next call
    for loop, types in declared:
        for signature in [types] if isinstance(types, str) else types(import_module("numba").types):
            loop.dispatcher().compile(signature)
    for loop, _ in declared:
        loop.dispatcher().disable_compile()


def load_compiler(*, is_alone: bool = False) -> None:
    """Load numba, and what it would load with the first loop: processes that are forked later each save half a second.

    SciPy's linear algebra, which numba loads where it finds it and no loop calls, is left out where this thread
    ``is_alone``: others would not find it meanwhile.
    """
    target = import_module("numba.core.registry").cpu_target
    with _without(_LINEAR_ALGEBRA) if is_alone else nullcontext():
        target.typing_context.refresh()
        target.target_context.refresh()
    import_module("numpy.ma")  # which numba asks whether an array is one of its own


@contextmanager
def _without(module: str) -> Iterator[None]:
    """Have importing a module fail, unless it has been imported."""
    is_hidden = module not in sys.modules
    if is_hidden:
        sys.modules[module] = None  # type: ignore[assignment]  # which the import system takes for a failure
    try:
        yield
    finally:
        if is_hidden:
            del sys.modules[module]


def hand_over_loops() -> None:
    """Hand all loops of the imported modules over to numba, for processes that may not open what it keeps them in."""
    for loop in _ALL:
        loop.dispatcher()


def loaded_loops() -> list[tuple[str, str]]:
    """Return which loops this process has loaded or compiled: the name of each, and its types as a text."""
    return [(_name_of(loop), str(types)) for loop in _handed_over() for types in loop.overloads]


def load_loops(wanted: Collection[tuple[str, str]]) -> int:
    """Load loops that another process has loaded, so that processes that are forked later find them; return how many.

    What is not in the cache, or is no loop of a module that this process has imported, is left out.
    """
    missing = set(wanted).difference(loaded_loops())
    names = {name for name, _ in missing}
    n_loaded = 0
    for loop in _ALL:
        if _name_of(loop) in names:
            for types in loop.dispatcher()._cache.kept_types():  # noqa: SLF001  # a ``SharedCache``
                if (_name_of(loop), str(types)) in missing:
                    loop.compile(types)
                    n_loaded += 1
    return n_loaded


def _handed_over() -> list[Loop]:
    return [loop for loop in _ALL if loop.is_handed_over]


def _name_of(loop: Loop) -> str:
    function: Any = loop
    return f"{function.__module__}.{function.__qualname__}"


def times_compiled() -> int:
    """Return how many times this process has compiled a loop because the cache did not have it."""
    return sum(sum(loop.stats.cache_misses.values()) for loop in _handed_over())
