"""What is passed as X when a model is registered: frames of all types, names of all kinds, what the library refuses."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd
import pytest
from leafspace_client import Invalid
from leafspace_client.conversion.declared import Declared
from leafspace_client.conversion.feature_names import UNSEEN
from leafspace_client.conversion.models import convert_model
from leafspace_client.rows import instances_of
from sklearn.compose import make_column_transformer
from sklearn.ensemble import RandomForestClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder

from schemas.contract import UNSEEN_IN_NAMES

FRAME = pd.DataFrame({"age": [30.0, None, 51.0, 17.0] * 3, "kids": [0, 2, 1, 0] * 3, "city": ["u", "v", "u", "w"] * 3})
NUMBERS = FRAME[["age", "kids"]]
LABELS = ["no", "yes", "yes", "no"] * 3
FOREST = RandomForestClassifier(3, random_state=0).fit(NUMBERS, LABELS)
UNNAMED = RandomForestClassifier(3, random_state=0).fit(NUMBERS.to_numpy(), LABELS)
PIPELINE = make_pipeline(
    make_column_transformer((OneHotEncoder(handle_unknown="ignore"), ["city"]), remainder="passthrough"),
    RandomForestClassifier(3, random_state=0),
).fit(FRAME, LABELS)

SAME: dict[str, Callable[[pd.DataFrame], Any]] = {
    "nullable": lambda frame: frame.convert_dtypes(),
    "of arrow": lambda frame: frame.convert_dtypes(dtype_backend="pyarrow"),
    "structured": lambda frame: frame.to_records(index=False),
    "by column": lambda frame: frame.to_dict("list"),
    "an unread column twice": lambda frame: pd.concat(
        [frame.assign(z=1), pd.DataFrame({"z": [2] * len(frame)})], axis=1
    ),
    "an unread column of lists": lambda frame: frame.assign(z=pd.Series([[1]] * len(frame), dtype=object)),
}


@pytest.mark.parametrize("kind", SAME)
def test_rows_of_any_kind_prove_the_same(kind: str) -> None:
    assert convert_model(PIPELINE, SAME[kind](FRAME)).metadata() == convert_model(PIPELINE, FRAME).metadata()


@pytest.mark.parametrize(
    "rows", [NUMBERS.astype(str), NUMBERS.astype(str).astype(object), NUMBERS.astype(str).to_numpy()]
)
def test_texts_of_numbers_are_numbers_as_the_library_has_them(rows: Any) -> None:  # rows
    converted = convert_model(FOREST, rows)
    assert converted.parity is not None
    assert all(isinstance(value, float | int | None) for row in converted.parity.rows for value in row)


def test_a_series_is_one_row() -> None:
    converted = convert_model(PIPELINE, FRAME.iloc[2])
    assert converted.parity is not None
    assert converted.parity.rows == [list(row.values()) for row in instances_of(FRAME[2:3]) if isinstance(row, dict)]


REFUSED: dict[str, tuple[Any, Any, str]] = {
    "texts": (FOREST, NUMBERS.assign(kids="many"), "column 'kids' of X holds 'many', which is no number"),
    "ragged": (FOREST, [[1.0, 2.0], [1.0]], "2 values in row 0 and 1 in row 1"),
    "a path": (FOREST, "rows.csv", "X is 'rows.csv'; pass rows"),
    "a read column twice": (PIPELINE, pd.concat([FRAME, FRAME[["age"]]], axis=1), r"\['age'\] occur more than once"),
    "what the library refuses": (PIPELINE, FRAME.assign(age="old"), "the library itself cannot predict for X: .*old"),
}


@pytest.mark.parametrize("kind", REFUSED)
def test_rows_that_prove_nothing_are_refused_with_a_reason(kind: str) -> None:
    model, rows, reason = REFUSED[kind]
    with pytest.raises(Invalid, match=reason):
        convert_model(model, rows)


@pytest.mark.parametrize(
    ("names", "reason"),
    [
        (["a", ""], r"the name of feature 1 \(counted from 0\) is empty"),
        (["a", None], "feature 1 .* is empty"),
        (["x" * 256, "b"], "feature 0 .* has 256 characters"),
        (["a", "b\nc"], "feature 1 .* holds a control character"),
        (["a", "a"], r"features \['a'\] occur more than once"),
        ("ab", "feature_names is 'ab'; give a list"),
    ],
)
def test_names_that_no_feature_can_have_are_refused_in_words(names: Any, reason: str) -> None:
    with pytest.raises(Invalid, match=reason):
        convert_model(UNNAMED, NUMBERS.to_numpy(), Declared(feature_names=names))
    with pytest.raises(Invalid, match=reason):
        convert_model(convert_model(UNNAMED).onnx, None, Declared(feature_names=names))


def test_names_are_refused_here_for_the_characters_that_the_service_refuses() -> None:
    assert UNSEEN == UNSEEN_IN_NAMES


def test_names_that_are_numbers_become_texts() -> None:
    names: list[Any] = [1, np.int64(2)]
    assert convert_model(UNNAMED, NUMBERS, Declared(feature_names=names)).declared.feature_names == ["1", "2"]
