"""Loops that loops alone call are declared as such, and no others: they have no entry for Python."""

import ast
from collections.abc import Iterator
from pathlib import Path

from tests.support.sources import PACKAGES, name_of, python_files, tree_of

_FOR_LOOPS = {"compiled_for_loops", "inlined", "inlined_reader"}
_DECORATORS = {"compiled", "compiled_ahead", *_FOR_LOOPS}
_Name = tuple[str, str]
"""The module and the name in it."""


def test_what_loops_alone_call_is_declared_so_and_python_calls_nothing_of_it() -> None:
    files = python_files(*PACKAGES)
    called = {name for path in files for name in _named_by_python(path)}
    loops = dict(declared for path in files for declared in _declared_by(path))

    assert len(loops) > 200
    assert {name for name, decorator in loops.items() if decorator in _FOR_LOOPS and name in called} == set()
    assert {name for name, decorator in loops.items() if decorator == "compiled" and name not in called} == set()


def _declared_by(path: Path) -> Iterator[tuple[_Name, str]]:
    for node in tree_of(path).body:
        if (decorator := _decorator_of(node)) is not None:
            assert isinstance(node, ast.FunctionDef)
            yield (_module_of(path), node.name), decorator


def _decorator_of(node: ast.stmt) -> str | None:
    for decorator in getattr(node, "decorator_list", []):
        function = decorator.func if isinstance(decorator, ast.Call) else decorator
        if isinstance(function, ast.Name) and function.id in _DECORATORS:
            return function.id
    return None


def _named_by_python(path: Path) -> Iterator[_Name]:
    """Yield what a module names outside of its loops: its own functions, and those that it imports."""
    body, imported = tree_of(path).body, dict(_imports(path))
    for statement in body:
        parts = [statement] if _decorator_of(statement) is None else statement.decorator_list  # type: ignore[attr-defined]  # of a function
        for node in (node for part in parts for node in ast.walk(part)):
            if isinstance(node, ast.Name):
                yield imported.get(node.id, (_module_of(path), node.id))
            elif isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and node.value.id in imported:
                yield ".".join(imported[node.value.id]), node.attr


def _imports(path: Path) -> Iterator[tuple[str, _Name]]:
    for node in ast.walk(tree_of(path)):
        if isinstance(node, ast.ImportFrom):
            above = _module_of(path).split(".")[: -node.level] if node.level else []
            source = ".".join([*above, *([node.module] if node.module else [])])
            yield from ((alias.asname or alias.name, (source, alias.name)) for alias in node.names)


def _module_of(path: Path) -> str:
    return name_of(path).removesuffix(".py").replace("/", ".")
