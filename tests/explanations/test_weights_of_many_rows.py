"""How many rows of boosting may have the weights of their training rows in one set."""

from typing import Any

import pytest

from explanations.training_rows import refuse_many_weights
from schemas.models import Model
from storage.errors import StorageError

_FIELDS: dict[str, Any] = {"n_trees": 200, "classes": []}
_BOOSTING, _FOREST = (Model.model_construct(**_FIELDS | {"ensemble": kind}) for kind in ("boosting", "random_forest"))


def test_sets_of_boosting_are_bounded_by_rows_and_trees() -> None:
    include = ["values", "training_rows"]
    refuse_many_weights(include, _BOOSTING, 5_000, 100_000)
    refuse_many_weights(include, _FOREST, 5_001, 100_000)
    refuse_many_weights(["values"], _BOOSTING, 5_001, 100_000)
    with pytest.raises(StorageError, match=r"100,020,000,000 steps, and a set has 100,000,000,000 at most") as refusal:
        refuse_many_weights(include, _BOOSTING, 5_001, 100_000)
    assert "explain fewer rows, or leave training_rows out" in refusal.value.detail
