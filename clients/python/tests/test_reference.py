"""What the manual's reference shows of the SDK: every public name is on a page, and every parameter is described."""

import ast
import inspect
import json
import re
from collections import defaultdict
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path
from typing import Any, get_type_hints

import leafspace_client
import pytest
from leafspace_client import frames, types
from leafspace_client.client_collections import Collections, Late
from leafspace_client.parameters import SHARED, with_shared_parameters
from leafspace_client.records import Record
from leafspace_client.relational_datasets import RelationalDatasets

_ROOT = Path(__file__).parents[3]
_PAGES = _ROOT / "docs" / "reference" / "python"
_SECTION = re.compile(r"^Parameters\n-+\n(.*?)(?=^\w[\w ]*\n-+\n|\Z)", re.DOTALL | re.MULTILINE)
_OF_THE_LANGUAGE = {"count", "index"}  # of sequences


def _documented() -> dict[str, Any]:
    """Return the public functions and classes, those that block, by the names by which pages have them."""
    names = [name for name in leafspace_client.__all__ if not name.startswith(("Async", "__"))]
    late = [each for each in vars(Collections).values() if isinstance(each, Late)]
    modules = {f"{each._module}.{each._name}": f"leafspace_client.{each._module}" for each in late}
    collections = {name: getattr(import_module(module), name.partition(".")[2]) for name, module in modules.items()}
    public = {name: getattr(leafspace_client, name) for name in names}
    return public | collections | {"relational_datasets.RelationalDatasets": RelationalDatasets}


def _methods() -> Iterator[Any]:
    for name, public in _documented().items():
        if inspect.isfunction(public):
            yield pytest.param(public, id=name)
        if inspect.isclass(public):
            for method, function in inspect.getmembers(public, inspect.isfunction):
                if not method.startswith("_") and method not in _OF_THE_LANGUAGE:
                    yield pytest.param(function, id=f"{name}.{method}")


def test_every_public_name_is_on_a_page() -> None:
    pages = "\n".join(page.read_text(encoding="utf-8") for page in _PAGES.glob("*.md"))
    classes = set(re.findall(r"^\.\. auto(?:class|function):: leafspace_client\.([\w.]+)$", pages, re.MULTILINE))
    assert ".. automodule:: leafspace_client.errors" in pages

    errors = {name for name in vars(leafspace_client.errors) if name in leafspace_client.__all__ and name[0] != "_"}
    assert classes | errors == set(_documented())


def _descriptions(docstring: str) -> dict[str, str]:
    """Return what a docstring says of its parameters, by the lines with their names."""
    section = _SECTION.search(f"{docstring}\n")
    lines: dict[str, list[str]] = {}
    for line in section[1].splitlines() if section else []:
        if line and not line[0].isspace():
            lines[line] = []
        else:
            lines[[*lines][-1]].append(line)
    return {header: " ".join(" ".join(below).split()) for header, below in lines.items()}


@pytest.mark.parametrize("function", [*_methods()])
def test_every_parameter_is_described(function: Any) -> None:
    described = _descriptions(str(inspect.getdoc(function)))
    names = [name.strip() for header in described for name in header.partition(" : ")[0].split(",")]
    parameters = [name for name in inspect.signature(function).parameters if name != "self"]

    assert sorted(names) == sorted(parameters)
    assert all(described.values())


def _docstrings() -> Iterator[tuple[str, str]]:
    """Yield the docstrings of the SDK's own functions and classes as they stand in its files, with their places."""
    source = Path(leafspace_client.__file__).parent
    for path in sorted(set(source.rglob("*.py")) - set(source.glob("contract/*"))):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
                yield f"{path.name}:{node.lineno}", ast.get_docstring(node) or ""


def test_every_description_of_a_parameter_is_written_once() -> None:
    places = defaultdict(list, {" ".join(text.split()): ["SHARED"] for text in SHARED.values()})
    for place, docstring in _docstrings():
        for description in filter(None, _descriptions(docstring).values()):
            places[description].append(place)

    assert len(places) > 250
    assert [each for each in places.items() if len(each[1]) > 1] == []


def test_every_shared_description_is_shown_by_two_calls() -> None:
    functions = {getattr(each.values[0], "program", each.values[0]) for each in _methods()}
    shown = [description for each in functions for description in _descriptions(str(each.__doc__)).values()]

    assert [name for name, text in SHARED.items() if shown.count(" ".join(text.split())) < 2] == []


def test_a_docstring_gets_the_shared_descriptions_where_its_signature_has_the_parameters() -> None:
    def saved(form: str, count: int, path: str) -> None:
        """Save some.

        Parameters
        ----------
        form : columns
        count
            How many.

        Returns
        -------
        None
            Nothing.
        """

    def waited(timeout: float) -> None:
        """Wait.

        Raises
        ------
        JobFailed
            If it failed.
        """

    assert str(with_shared_parameters(saved).__doc__).splitlines() == [
        *("Save some.", "", "Parameters", "----------"),
        *("form", f"    {SHARED['form : columns']}", "count", "    How many.", "path", f"    {SHARED['path']}"),
        *("", "Returns", "-------", "None", "    Nothing."),
    ]
    assert str(with_shared_parameters(waited).__doc__).splitlines() == [
        *("Wait.", "", "Parameters", "----------", "timeout", f"    {SHARED['timeout']}"),
        *("", "Raises", "------", "JobFailed", "    If it failed."),
    ]


@pytest.mark.parametrize("function", [*_methods()])
def test_types_of_every_method_can_be_looked_up(function: Any) -> None:
    assert set(get_type_hints(function)) == set(function.__annotations__)


def test_methods_have_the_annotations_that_their_signatures_show() -> None:
    place = leafspace_client.Map.place

    assert place.__annotations__["return"] == inspect.signature(place).return_annotation
    assert list(place.__annotations__) == ["rows", "row_ids", "return"]


def _example(kind: type[Record]) -> Any:
    """Return the answer of this kind that the contract shows."""
    schemas = json.loads((_ROOT / "openapi.json").read_text(encoding="utf-8"))["components"]["schemas"]
    return kind.from_dict(schemas[kind.__name__]["examples"][0])


@pytest.mark.parametrize(
    ("view", "frame_of"),
    [
        (leafspace_client.PrototypeSet, lambda view: view(None, _example(types.PrototypeSet)).to_frame()),
        (leafspace_client.RuleSet, lambda view: view(None, _example(types.RuleSet)).to_frame()),
        (leafspace_client.ApproximationTree, lambda view: view(None, _example(types.ApproximationTree)).to_frame()),
        (leafspace_client.Comparison, lambda _: frames.records_frame(_example(types.Comparison).result.effects)),
        (leafspace_client.Proximities, lambda _: frames.neighbors_frame([_example(types.NeighborsOfRow)])),
        (leafspace_client.Map, lambda _: frames.map_rows_frame([_example(types.MapRow)])),
        (leafspace_client.LabelAudit, lambda _: frames.audited_rows_frame([_example(types.AuditedRow)])),
    ],
)
def test_frames_have_the_columns_that_are_described(view: Any, frame_of: Any) -> None:
    described = set(re.findall(r"``(\w+)``", str(inspect.getdoc(view.to_frame)).partition("Returns\n")[2]))
    columns = {column for column in frame_of(view).columns if not column.startswith(("sepal", "petal"))}  # of iris

    assert len(columns) > 3
    assert columns <= described
