"""Every call that takes rows takes them in any form: generators of rows and of frames, lazy frames, tables."""

import inspect
import pkgutil
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from importlib import import_module
from typing import Any

import leafspace_client
import pandas as pd
import polars as pl
import pytest
from leafspace_client import Explainer, Invalid, Leafspace, Map
from leafspace_client.calls import Connected
from leafspace_client.row_batches import named_batches
from sklearn.ensemble import RandomForestClassifier

from tests.support.serving import Service

FRAME = pd.DataFrame({"a": [0.0, 1.0, 2.0, 3.0, 4.0, 5.0], "b": [1.0, 0.5, 0.0, 1.0, 0.25, 0.5]})
TARGET = [0, 0, 0, 1, 1, 1]
FORMS: dict[str, Callable[[pd.DataFrame], Any]] = {
    "frame": lambda x: x,
    "generator of dicts": lambda x: (row for row in x.to_dict("records")),
    "generator of Series": lambda x: (row for _, row in x.iterrows()),
    "generator of frames": lambda x: (x.iloc[at : at + 2] for at in range(0, len(x), 2)),
    "list of frames": lambda x: [x.iloc[:2], x.iloc[2:]],
    "generator of frames of Polars": lambda x: iter([pl.DataFrame(x.iloc[:4]), pl.DataFrame(x.iloc[4:])]),
    "frame of Polars": pl.DataFrame,
    "lazy frame": lambda x: pl.DataFrame(x).lazy(),
    "table of Arrow": lambda x: pl.DataFrame(x).to_arrow(),
    "batches of Arrow": lambda x: pl.DataFrame(x).to_arrow().to_reader(max_chunksize=2),
    "list of Series of Polars": lambda x: [pl.Series(row) for row in x.to_numpy().tolist()],
    "generator of arrays": lambda x: iter(x.to_numpy()),
    "generator of matrices": lambda x: iter([x.to_numpy()[:1], x.to_numpy()[1:]]),
}
TAKE_ROWS = {"rows", "X", "data", "others", "instances"}
TRIED = {
    "Leafspace.register_model",
    "Leafspace.register_dataset",
    "Models.predict",
    "Models.proximities",
    "Explainer.explain",
    "NamedExplainer.explain",
    "Map.place",
}
# Of several tables; explanations; results.
OF_OTHER_ROWS = {"FeatureSet.rows", "Reports.create", "Comparison.to_frame", "Evaluation.to_frame"}


def calls_that_take_rows() -> set[str]:
    names = set()
    for module in pkgutil.iter_modules(leafspace_client.__path__, "leafspace_client."):
        for kind in vars(import_module(module.name)).values():
            if inspect.isclass(kind) and issubclass(kind, Connected) and not kind.__name__.startswith("Async"):
                methods = inspect.getmembers(kind, lambda each: hasattr(each, "program"))
                names |= {each.__qualname__ for _, each in methods if TAKE_ROWS & {*inspect.signature(each).parameters}}
    return names


@dataclass
class Things:
    client: Leafspace
    model: Any
    explainer: Explainer
    map: Map


@pytest.fixture(scope="module")
def things(service: Service) -> Iterator[Things]:
    with Leafspace(service.url) as client:
        forest = RandomForestClassifier(5, random_state=0).fit(FRAME, TARGET)
        model = client.register_model(forest, FRAME)
        dataset = client.register_dataset((FRAME, TARGET))
        prototypes = client.prototype_sets.create(model, dataset, n_prototypes=2).wait()
        explainer = client.explainers.create(model, prototypes)
        yield Things(client, model, explainer, client.maps.create(model, dataset, n_neighbors=3).wait())


def test_all_calls_that_take_rows_are_tried() -> None:
    assert {each.removeprefix("Local") for each in calls_that_take_rows()} == TRIED | OF_OTHER_ROWS


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.sampled("thirds")
def test_rows_of_any_form_give_the_same_answers(things: Things, form: str) -> None:
    make, client, model = FORMS[form], things.client, things.model
    assert client.models.predict(model, make(FRAME)) == client.models.predict(model, FRAME)
    assert [each.to_dict() for each in things.explainer.explain(make(FRAME))] == [
        each.to_dict() for each in things.explainer.explain(FRAME)
    ]
    named = client.explainer_names.put("streams", things.explainer)
    assert [each.label for each in named.explain(make(FRAME))] == [each.label for each in named.explain(FRAME)]
    assert things.map.place(make(FRAME)) == things.map.place(FRAME)
    assert client.models.proximities(model, make(FRAME), make(FRAME)) == client.models.proximities(model, FRAME, FRAME)
    forest = RandomForestClassifier(5, random_state=0).fit(FRAME, TARGET)
    assert client.register_model(forest, make(FRAME), feature_names=["a", "b"]).id == model.id
    assert client.register_dataset((make(FRAME), TARGET), features=["a", "b"]).n_rows == len(FRAME)
    assert client.register_dataset(make(FRAME), features=["a", "b"]).n_rows == len(FRAME)


def test_streams_are_read_as_they_are_sent() -> None:
    read = []

    def rows() -> Iterator[dict[str, int]]:
        for number in range(2_500):
            read.append(number)
            yield {"a": number}

    batches = named_batches(rows())
    batch, names = next(batches)
    assert (len(batch), names[:2], len(read)) == (1000, ["0", "1"], 1000)
    assert [names[0] for _, names in batches] == ["1000", "2000"]


def test_names_of_streams_are_the_callers() -> None:
    parts = [FRAME.set_axis([f"{part}{row}" for row in range(6)]) for part in "xy"]
    assert [names[5] for _, names in named_batches(iter(parts))] == ["x5", "y5"]
    assert [names for _, names in named_batches(iter([[1.0], [2.0]]), iter("pq"))] == [["p", "q"]]
    for row_ids in ("p", "pqr"):
        with pytest.raises(Invalid, match="give one for each, or none at all"):
            list(named_batches(iter([[1.0], [2.0]]), row_ids))
    with pytest.raises(Invalid, match="'x0' more than once, in rows 0 and 6"):
        list(named_batches(iter([parts[0], parts[0]])))


def test_a_faulty_row_of_a_stream_is_named() -> None:
    with pytest.raises(Invalid, match=r"row 1, feature 0, is .* \(counted from row 6 of the stream\)"):
        list(named_batches(iter([FRAME, [[1.0], [b"x"]]])))


def test_ignored_columns_are_in_the_answers(things: Things, caplog: pytest.LogCaptureFixture) -> None:
    more = FRAME.assign(id="u", target=1)
    predictions = things.client.models.predict(things.model, (more.iloc[[row]] for row in range(6)))
    explanations = things.explainer.explain(more)
    assert (
        predictions.ignored_columns
        == explanations.ignored_columns
        == explanations[:2].ignored_columns
        == ("id", "target")
    )
    assert repr(predictions).endswith("\nIgnored columns: id, target")
    assert str(explanations).endswith("\nIgnored columns: id, target")
    assert explanations.to_frame().attrs["ignored_columns"] == ["id", "target"]
    assert [each.getMessage() for each in caplog.records if each.name == "leafspace_client"] == [
        "Ignored columns: id, target (the model does not read them)"
    ] * 2
    assert things.client.models.predict(things.model, FRAME).ignored_columns == ()
