"""The kin of known bad files: variants of each class, refused with the reason, in time and with little memory.

A build reads all of one sort in one process; `make test-long` reads each in its own, and bombs, too.
"""

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

Files = Callable[[], dict[str, BadFile]]
Read = Callable[[bytes], None]
_MODELS = pytest.param(bad_models, read_as_model, ModelRefused, id="models")
_DATASETS = pytest.param(bad_datasets, read_as_dataset, DatasetRefused, id="datasets")
_BOMBS = pytest.param(bombs, read_as_dataset, DatasetRefused, id="bombs")


@pytest.mark.parametrize(("files", "read", "refusal"), [_MODELS, _DATASETS])
def test_bad_files_get_their_problems(files: Files, read: Read, refusal: type[Exception]) -> None:
    assert len(files()) > 75
    outcome = outcome_of(partial(_read_all, files(), read, refusal), (), _MOST_SECONDS)
    assert (outcome.code, outcome.finding) == (None, None)


@pytest.mark.long
@pytest.mark.parametrize(("files", "read", "refusal"), [_MODELS, _DATASETS, _BOMBS])
def test_each_bad_file_gets_its_problem(files: Files, read: Read, refusal: type[Exception]) -> None:
    outcomes = {
        name: (outcome_of(partial(read, data), (refusal,), _MOST_SECONDS), codes)
        for name, (data, codes) in files().items()
    }

    unexpected = {
        name: outcome for name, (outcome, codes) in outcomes.items() if (outcome.code or "taken") not in codes
    }
    assert unexpected == {}
    assert {name: outcome for name, (outcome, _) in outcomes.items() if outcome.finding} == {}


def _read_all(files: dict[str, BadFile], read: Read, refusal: type[Exception]) -> None:
    """Read files one after the other, and say which were not answered as they should be."""
    codes = {name: _code(data, read, refusal) for name, (data, _) in files.items()}
    unexpected = {name: code for name, code in codes.items() if code not in files[name][1]}
    assert not unexpected, unexpected


def _code(data: bytes, read: Read, refusal: type[Exception]) -> str:
    try:
        read(data)
    except refusal as error:
        return str(error.code)  # type: ignore[attr-defined]  # refusals have codes
    return "taken"
