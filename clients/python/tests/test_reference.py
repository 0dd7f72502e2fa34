"""What the manual's reference shows of the SDK: every public name is on a page, and every parameter is described."""

import inspect
import re
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path
from typing import Any

import leafspace_client
import pytest
from leafspace_client import Leafspace
from leafspace_client.client_collections import Collections, Late
from leafspace_client.relational_datasets import RelationalDatasets
from sklearn.datasets import load_wine
from sklearn.ensemble import RandomForestClassifier

_PAGES = Path(__file__).parents[3] / "docs" / "reference" / "python"
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


@pytest.mark.parametrize("function", [*_methods()])
def test_every_parameter_is_described(function: Any) -> None:
    described = _SECTION.search(f"{inspect.getdoc(function)}\n")
    lines = [line for line in (described[1] if described else "").splitlines() if line and not line[0].isspace()]
    names = [name.strip() for line in lines for name in line.partition(" : ")[0].split(",")]
    parameters = [name for name in inspect.signature(function).parameters if name != "self"]

    assert sorted(names) == sorted(parameters)


def test_methods_have_the_annotations_that_their_signatures_show() -> None:
    place = leafspace_client.Map.place

    assert place.__annotations__["return"] == inspect.signature(place).return_annotation
    assert list(place.__annotations__) == ["rows", "row_ids", "return"]


def test_frames_have_the_columns_that_are_described(client: Leafspace) -> None:
    wine = load_wine(as_frame=True)
    forest = RandomForestClassifier(8, min_samples_leaf=3, random_state=0).fit(wine.data, wine.target)
    other = RandomForestClassifier(6, min_samples_leaf=3, random_state=1).fit(wine.data, wine.target)
    model, dataset = client.register_model(forest, wine.data), client.register_dataset((wine.data, wine.target))
    made: list[Any] = [
        client.prototype_sets.create(model, dataset),
        client.proximities.create(model, dataset, n_neighbors=2),
        client.maps.create(model, dataset, n_rows=40, n_neighbors=10),
        client.rule_sets.create(model, dataset, max_rules=2),
        client.approximation_trees.create(model, dataset, max_depth=1, max_pseudo_samples=1000),
        client.label_audits.create(model, dataset),
        client.compare(model, client.register_model(other, wine.data), on=dataset),
    ]

    for thing in made:
        described = set(re.findall(r"``(\w+)``", str(inspect.getdoc(thing.to_frame)).partition("Returns\n")[2]))
        columns = set(thing.wait().to_frame().columns) - set(wine.feature_names)
        assert columns <= described, type(thing)
