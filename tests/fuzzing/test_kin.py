"""The kin of known bad files: variants of each class, refused with the reason, in time and with little memory."""

from collections.abc import Callable
from functools import partial

import pytest

from storage.errors import DatasetRefused
from tests.support.bad_datasets import bad_datasets, bombs
from tests.support.bad_models import BadFile, bad_models
from tree_explainers.errors import ModelRefused

from .reading import read_as_dataset, read_as_model
from .watching import outcome_of

_MOST_SECONDS = 5  # of the processor: some files are large, or decode to much


def test_each_bad_model_gets_its_problem() -> None:
    models = bad_models()

    assert len(models) > 70
    assert _unexpected(models, read_as_model, ModelRefused) == {}


def test_each_bad_dataset_gets_its_problem() -> None:
    datasets = bad_datasets()

    assert len(datasets) > 75
    assert _unexpected(datasets, read_as_dataset, DatasetRefused) == {}


@pytest.mark.long
def test_each_bomb_gets_its_problem() -> None:
    assert _unexpected(bombs(), read_as_dataset, DatasetRefused) == {}


def _unexpected(
    files: dict[str, BadFile], read: Callable[[bytes], object], refusal: type[Exception]
) -> dict[str, str | None]:
    """Return what became of those that were not answered as they should be."""
    outcomes = {name: outcome_of(partial(read, data), (refusal,), _MOST_SECONDS) for name, (data, _) in files.items()}
    return {
        name: outcome.finding or outcome.code
        for name, outcome in outcomes.items()
        if outcome.finding or (outcome.code or "taken") not in files[name][1]
    }
