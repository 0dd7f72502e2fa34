"""Datasets of all forms changed in a few places at random: each is taken or refused, in time, with little memory."""

import random

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from storage.errors import DatasetRefused

from .byte_changes import mutated_bytes, of_part
from .reading import read_as_dataset
from .seeds import dataset_seeds
from .watching import outcome_of

_fuzzing = settings(derandomize=True, deadline=None, suppress_health_check=list(HealthCheck), database=None)
_changed = given(rng=st.randoms(use_true_random=False), n_changes=st.integers(1, 4))


def test_datasets_are_taken_as_they_are() -> None:
    for name, data in dataset_seeds().items():
        outcome = outcome_of(lambda data=data: read_as_dataset(data), (DatasetRefused,))  # type: ignore[misc]  # bound now
        assert (outcome.code, outcome.finding) == (None, None), name


@_changed
@settings(_fuzzing, max_examples=20)
def test_a_changed_dataset_is_taken_or_refused(rng: random.Random, n_changes: int) -> None:
    _try(rng, n_changes)


@pytest.mark.long
@pytest.mark.parametrize("part", range(20))  # each in time, however busy the machine is
@_changed
@settings(_fuzzing, max_examples=500)
def test_thousands_of_changed_datasets_are_taken_or_refused(part: int, rng: random.Random, n_changes: int) -> None:
    _try(of_part(part, rng), n_changes)


def _try(rng: random.Random, n_changes: int) -> None:
    name = rng.choice(sorted(dataset_seeds()))
    data = mutated_bytes(dataset_seeds()[name], rng, n_changes)
    outcome = outcome_of(lambda: read_as_dataset(data), (DatasetRefused,))
    assert outcome.finding is None, (name, data.hex()[:4000])
