"""Frames whose columns are named otherwise than by texts, and cells that cannot be hashed."""

import pandas as pd
import pytest
from leafspace_client import LeafspaceError
from leafspace_client.conversion import convert_model
from sklearn import datasets, ensemble

_FEATURES, _TARGET = datasets.load_iris(return_X_y=True)


def test_names_of_numbers_and_texts_become_texts() -> None:
    forest = ensemble.RandomForestClassifier(3, random_state=0).fit(_FEATURES, _TARGET)

    converted = convert_model(forest, pd.DataFrame(_FEATURES, columns=["a", 1, "b", 2]))

    assert converted.declared.feature_names == ["a", "1", "b", "2"]
    assert converted.parity is not None


def test_a_column_of_lists_is_refused_by_its_name() -> None:
    forest = ensemble.RandomForestClassifier(3, random_state=0).fit(_FEATURES, _TARGET)
    rows = pd.DataFrame(_FEATURES, columns=["a", "b", "c", "d"]).assign(
        d=pd.Series([[1, 2]] * len(_FEATURES), dtype=object)
    )

    with pytest.raises(LeafspaceError, match=r"column 'd', is .* of type list; send a number, a text"):
        convert_model(forest, rows)
