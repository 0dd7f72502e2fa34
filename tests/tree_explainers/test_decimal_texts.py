"""Decimals that are written from their digits are written as Python and orjson write the nearest doubles."""

import numpy as np
import orjson
import pytest

from tests.support.texts import list_of
from tree_explainers import wording
from tree_explainers.compute.decimal_texts import Form, decimal_texts

_RNG = np.random.default_rng(0)
_UNITS = np.concatenate([np.arange(1200), _RNG.integers(0, 10 ** _RNG.integers(1, 10, 6000)), [10**9]])
_DECIMALS = _RNG.integers(0, 23, len(_UNITS))
_ARE_NEGATIVE = _RNG.random(len(_UNITS)) < 0.5


def _texts(form: Form, decimals: np.ndarray) -> list[str]:
    return list_of(decimal_texts(_UNITS, _ARE_NEGATIVE, decimals, form))


def _doubles(decimals: np.ndarray) -> list[float]:
    return list(np.copysign(_UNITS / 10.0**decimals, np.where(_ARE_NEGATIVE, -1, 1)).tolist())


def test_decimals_are_the_json_of_the_nearest_doubles() -> None:
    assert _texts("json", _DECIMALS) == [orjson.dumps(double).decode() for double in _doubles(_DECIMALS)]


def test_decimals_are_read_as_numbers_in_words_are() -> None:
    decimals = np.minimum(_DECIMALS, 9)

    words = list(map(wording.number_text, _doubles(decimals)))

    assert _texts("words", decimals) == words
    assert _texts("difference", decimals) == [word if word[0] == "-" else f"+{word}" for word in words]


@pytest.mark.parametrize(
    ("units", "decimals"), [(1, 33), (1, -1), (-1, 3), (10**9 + 1, 0), (np.iinfo(np.int64).min, 0)]
)
def test_units_and_decimals_that_no_text_has_are_refused(units: int, decimals: int) -> None:
    with pytest.raises(ValueError, match="0 to 32 decimals"):
        decimal_texts(np.array([units]), np.zeros(1, np.bool_), np.array([decimals]), "json")


def test_no_decimals_are_no_texts() -> None:
    none = np.empty(0, np.int64)

    assert len(decimal_texts(none, none.astype(np.bool_), none, "json").starts) == 0
