"""Importing the package costs little: it is imported in notebooks and in command lines."""

import ast
import subprocess
import sys
import time
from pathlib import Path

import leafspace_client
import pytest
from leafspace_client.client_collections import Collections, Late

from tests.support.patience import when_idle
from tests.support.sampling import mostly_long

_IMPORTS = ["import leafspace_client", "from leafspace_client import Leafspace"]
# 300 ms are promised on a quiet machine (benchmarks/start_up.py); here machines are slower, and shared with others.
_MOST_IMPORTS_OF_HTTPX = 3.5


@pytest.mark.parametrize("statement", mostly_long(_IMPORTS, _IMPORTS[-1]))
def test_importing_takes_less_than_a_moment(statement: str) -> None:
    assert _seconds(statement) < _MOST_IMPORTS_OF_HTTPX * _seconds("import httpx")


def test_importing_the_package_brings_no_library() -> None:
    heavy = {"httpx", "numpy", "pandas", "sklearn", "skl2onnx", "onnx", "tqdm", "attrs", "attr"}
    found = _output("import leafspace_client, sys; print(*sorted(sys.modules))").split()

    assert not heavy & set(found)


def test_a_client_needs_no_numerical_library() -> None:
    heavy = {"numpy", "pandas", "sklearn", "skl2onnx", "onnx", "pyarrow"}
    found = _output("import leafspace_client, sys; leafspace_client.Leafspace(); print(*sorted(sys.modules))").split()

    assert not heavy & set(found)


def test_a_client_imports_what_belongs_to_a_kind_of_things_when_it_is_first_used() -> None:
    statement = "import leafspace_client, sys; client = leafspace_client.Leafspace(); {}print(*sorted(sys.modules))"
    first = _output(statement.format("")).split()
    then = _output(statement.format("client.rule_sets; ")).split()

    assert not {f"leafspace_client.{kind}" for kind in ("rule_sets", "maps", "explainers", "reports")} & set(first)
    assert "leafspace_client.rule_sets" in then
    assert "leafspace_client.maps" not in then


def test_the_client_imports_no_package_of_the_service() -> None:
    ours = {"schemas", "tree_explainers", "storage", "service", "workers", "leafspace"}
    statement = "import leafspace_client.client, sys; print(*sorted({name.split('.')[0] for name in sys.modules}))"

    assert not ours & set(_output(statement).split())


def test_all_that_is_named_is_there() -> None:
    assert all(hasattr(leafspace_client, name) for name in leafspace_client.__all__)
    assert set(leafspace_client.__all__) <= set(dir(leafspace_client))
    with pytest.raises(AttributeError, match="no attribute 'Leefspace'"):
        _ = leafspace_client.Leefspace


def test_editors_know_the_names_that_are_imported_when_they_are_needed() -> None:
    code = ast.parse(Path(leafspace_client.__file__).read_text(encoding="utf-8"))
    block = next(node for node in code.body if isinstance(node, ast.If))
    imports = [node for node in block.body if isinstance(node, ast.ImportFrom)]

    assert {node.module: tuple(each.asname for each in node.names) for node in imports} == leafspace_client._LATE


def test_each_collection_is_that_of_its_client() -> None:
    names = [name for name, value in vars(Collections).items() if isinstance(value, Late)]
    blocking, awaitable = leafspace_client.Leafspace(), leafspace_client.AsyncLeafspace()

    assert {"models", "explanations", "jobs"} < set(names)
    for name in names:
        collection = getattr(blocking, name)
        assert type(getattr(awaitable, name)).__name__ == f"Async{type(collection).__name__}"
        assert getattr(blocking, name) is collection


def _seconds(statement: str) -> float:
    timed = f"import time; began = time.process_time(); {statement}; print(time.process_time() - began)"
    return min(float(_output(timed)) for _ in range(3))


def _output(statements: str) -> str:
    began = time.monotonic()
    result = subprocess.run(  # our own statements
        [sys.executable, "-c", statements], capture_output=True, text=True, check=True, cwd=Path(__file__).parent
    )
    assert time.monotonic() - began < when_idle(30)
    return result.stdout
