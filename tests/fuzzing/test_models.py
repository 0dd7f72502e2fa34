"""Models changed in a few places at random: each is taken or refused, in time, with little memory, and nothing breaks.

A short run with fixed seeds in every build; `make test-long` tries many more. What was found has a test of its own in
``tests/tree_explainers/onnx_models/test_checking.py``.
"""

import random
from collections.abc import Callable

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tree_explainers.errors import ModelRefused

from .byte_changes import mutated_bytes, of_part
from .messages import mutated_model
from .reading import read_as_model
from .seeds import few_model_seeds, model_seeds
from .watching import outcome_of

Change = Callable[[bytes, random.Random, int], bytes]
Seeds = Callable[[], dict[str, bytes]]

_fuzzing = settings(derandomize=True, deadline=None, suppress_health_check=list(HealthCheck), database=None)
_changed = given(
    rng=st.randoms(use_true_random=False),
    n_changes=st.integers(1, 4),
    way=st.sampled_from([mutated_bytes, *[mutated_model] * 4]),
)


@pytest.mark.parametrize("seeds", [few_model_seeds, pytest.param(model_seeds, marks=pytest.mark.long)])
def test_models_are_taken_as_they_are(seeds: Seeds) -> None:
    for name, data in seeds().items():
        outcome = outcome_of(lambda data=data: read_as_model(data), (ModelRefused,))  # type: ignore[misc]  # bound now
        assert (outcome.code, outcome.finding) == (None, None), name


@_changed
@settings(_fuzzing, max_examples=20)
def test_a_changed_model_is_taken_or_refused(rng: random.Random, n_changes: int, way: Change) -> None:
    _try(few_model_seeds(), rng, n_changes, way)


@pytest.mark.long
@pytest.mark.parametrize("part", range(20))  # each in time, however busy the machine is
@_changed
@settings(_fuzzing, max_examples=500)
def test_thousands_of_changed_models_are_taken_or_refused(
    part: int, rng: random.Random, n_changes: int, way: Change
) -> None:
    _try(model_seeds(), of_part(part, rng), n_changes, way)


def _try(seeds: dict[str, bytes], rng: random.Random, n_changes: int, change: Change) -> None:
    name = rng.choice(sorted(seeds))
    data = change(seeds[name], rng, n_changes)
    outcome = outcome_of(lambda: read_as_model(data), (ModelRefused,))
    assert outcome.finding is None, (name, data.hex()[:4000])
