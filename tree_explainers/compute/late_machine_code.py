"""Machine code is made for functions that Python calls, not for those that are only part of others.

numba optimizes each function that it compiles, makes machine code of it, and then links it, before it was made into
machine code, into each of its callers, where both are done again. Here, a function is optimized and made into machine
code when its address is asked for; before that, what it calls becomes part of it, as far as numba does that first.
Functions without an entry for Python, which are parts of others only, are kept on disk without machine code.
"""

import weakref
from typing import Any, cast

from numba.core import extending
from numba.core.codegen import JITCodeLibrary, JITCPUCodegen
from numba.core.environment import lookup_environment
from numba.core.typing.templates import _OverloadFunctionTemplate

_ENVIRONMENT = "_ZN08NumbaEnv"  # how names begin of what compiled functions read Python's constants from
_numbas_unserialize = JITCodeLibrary._unserialize  # noqa: SLF001  # nothing public has them
_numbas_set_env = JITCPUCodegen.set_env


def install() -> None:
    """Have whatever this process compiles or loads from now on become machine code late; nothing public sets it."""
    JITCodeLibrary._optimize_final_module = _optimize_cheaply  # noqa: SLF001
    JITCodeLibrary._finalize_final_module = _finish_without_machine_code  # noqa: SLF001
    JITCodeLibrary.get_pointer_to_function = _address_of
    JITCodeLibrary.serialize_using_object_code = _serialize
    JITCodeLibrary._unserialize = classmethod(_unserialize)  # noqa: SLF001
    JITCPUCodegen.set_env = _set_env
    _leave_out_entries_for_c()


def _leave_out_entries_for_c() -> None:
    """Have numba's own functions, which compiled functions alone call, have no entry for C, either."""
    vars(extending)["_overload_default_jit_options"]["no_cfunc_wrapper"] = True  # of those that are made from now on
    for template in _OverloadFunctionTemplate.__subclasses__():
        if "_jit_options" in vars(template):
            template._jit_options["no_cfunc_wrapper"] = True  # noqa: SLF001


def _optimize_cheaply(library: Any) -> None:  # numba ships no types
    """Do what numba does before it optimizes: functions become parts of others, references that cancel out go."""
    codegen = library._codegen  # noqa: SLF001
    level, loop_vectorize = codegen._opt_level, codegen._loopvect  # noqa: SLF001
    _optimize(library, opt=level, loop_vectorize=loop_vectorize, slp_vectorize=False, cost="cheap")


def _optimize(library: Any, **options: Any) -> None:
    passes, builder = library._codegen._module_pass_manager(**options)  # noqa: SLF001
    passes.run(library._final_module, builder)  # noqa: SLF001


def _finish_without_machine_code(library: Any) -> None:
    library._finalize_dynamic_globals()  # noqa: SLF001
    library._verify_declare_only_symbols()  # noqa: SLF001
    library._finalized = True  # noqa: SLF001
    library.has_machine_code = False


def _make_machine_code(library: Any) -> None:
    library.has_machine_code = True
    module, codegen = library._final_module, library._codegen  # noqa: SLF001
    module._CPUCodeLibrary__library = weakref.proxy(library)  # noqa: SLF001  # where numba puts the code to keep
    codegen._add_module(module)  # noqa: SLF001
    library._finalize_specific()  # noqa: SLF001
    for variable in module.global_variables:
        environment = lookup_environment(variable.name) if variable.name.startswith(_ENVIRONMENT) else None
        if environment is not None:  # of a function that is part of this one, and had no address until now
            codegen.set_env(variable.name, environment)


def _address_of(library: Any, name: str) -> int:
    """Return where a function is in memory, or 0 if the library has none of that name."""
    library._ensure_finalized()  # noqa: SLF001
    if not library.has_machine_code and any(function.name == name for function in library.get_defined_functions()):
        _optimize(library)
        _make_machine_code(library)
    engine = library._codegen._engine  # noqa: SLF001
    return cast("int", engine.get_function_address(name)) if engine.is_symbol_defined(name) else 0


def _serialize(library: Any) -> tuple[str, str, Any]:
    """Return a library as it is kept on disk: with its machine code, or without if it has none."""
    shared = library._get_module_for_linking().as_bitcode()  # noqa: SLF001
    if not library.has_machine_code:
        return library.name, "bitcode", shared
    return library.name, "object", (library._get_compiled_object(), shared)  # noqa: SLF001


def _unserialize(_: type, codegen: Any, state: tuple[str, str, Any]) -> Any:
    library = _numbas_unserialize(codegen, state)
    if state[1] == "object":
        _make_machine_code(library)  # which numba has by now, and loads
    return library


def _set_env(codegen: Any, name: str, environment: Any) -> None:
    if codegen._engine.is_symbol_defined(name):  # noqa: SLF001
        _numbas_set_env(codegen, name, environment)
