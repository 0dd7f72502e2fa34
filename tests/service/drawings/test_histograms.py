"""The histograms of a dataset's columns by class, against counts of value by value."""

from collections.abc import Iterator
from typing import Any

import numpy as np
import pandas as pd
import pytest

from service.drawings.documents import VIEWS, shown_dataset
from service.drawings.histograms import counts_by_class
from tests.support.workshop import Workshop, workshop_in

_N_BINS = 16


@pytest.fixture(scope="module")
def workshop(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Workshop]:
    with workshop_in(tmp_path_factory.mktemp("histograms")) as workshop:
        yield workshop


def _frame(n_rows: int = 300) -> pd.DataFrame:
    rng = np.random.default_rng(0)
    age = rng.integers(18, 90, n_rows).astype(float)
    age[::7] = np.nan
    return pd.DataFrame(
        {"age": age, "income": rng.lognormal(8, 1, n_rows), "always": 1.0, "sex": ["f", "m"] * (n_rows // 2)}
    )


@pytest.mark.parametrize(
    ("labels", "classes"),
    [(("bad", "good"), ["bad", "good"]), ((0, 1), ["0", "1"]), ((False, True), ["no", "yes"])],
)
def test_each_class_is_counted_in_bins_of_equal_width(
    workshop: Workshop, labels: tuple[Any, Any], classes: list[str]
) -> None:
    frame = _frame()
    frame["t"] = [labels[income > 3000] for income in frame["income"]]
    dataset = workshop.register_dataset(frame, target="t")

    found = counts_by_class(workshop.context, shown_dataset(workshop.context, dataset), 60)

    assert list(found.classes) == classes
    assert list(found.columns) == ["age", "income"]
    for name, counts in found.columns.items():
        for label, of_class in zip(labels, counts, strict=True):
            assert of_class == _naive_counts(frame[name], frame.loc[frame["t"] == label, name])
    page = VIEWS["datasets"](workshop.context, dataset, {})
    assert page.count("rows of each class by its numbers") == 2


def _naive_counts(every: "pd.Series[float]", own: "pd.Series[float]") -> list[int]:
    edges = np.linspace(every.min(), every.max(), _N_BINS + 1).tolist()
    last = edges.pop()
    ends = [*edges[1:], last]
    return [
        sum(low <= value < high or (high == last == value) for value in own)
        for low, high in zip(edges, ends, strict=True)
    ]


@pytest.mark.parametrize("target", [None, "income", "many"])
def test_without_a_target_of_a_few_classes_there_are_no_histograms(workshop: Workshop, target: str | None) -> None:
    frame = _frame().assign(many=[f"class {number % 9}" for number in range(300)])
    dataset = workshop.register_dataset(frame, target=target)

    found = counts_by_class(workshop.context, shown_dataset(workshop.context, dataset), 60)

    assert (list(found.classes), dict(found.columns)) == ([], {})
    assert "rows of each class" not in VIEWS["datasets"](workshop.context, dataset, {})


def test_a_dataset_whose_rows_cannot_be_read_is_shown_without_histograms(workshop: Workshop) -> None:
    dataset = workshop.register_dataset(_frame(40).assign(t=["bad", "good"] * 20), target="t")
    content = workshop.context.datasets.get(dataset).content
    workshop.context.objects.path(content).unlink()

    assert "rows of each class" not in VIEWS["datasets"](workshop.context, dataset, {})


def test_rows_without_a_class_and_columns_beyond_those_that_are_drawn_are_not_counted(workshop: Workshop) -> None:
    frame = _frame()
    frame["t"] = np.where(frame["income"] > 3000, "good", "bad").astype(object)
    frame.loc[:99, "t"] = None
    dataset = workshop.register_dataset(frame, target="t")

    found = counts_by_class(workshop.context, shown_dataset(workshop.context, dataset), 1)

    assert list(found.columns) == ["age"]
    assert np.sum(found.columns["age"]) == frame.loc[100:, "age"].notna().sum()
