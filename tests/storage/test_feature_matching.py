"""Which column of a dataset feeds which feature of a model."""

from datetime import UTC, datetime
from typing import Any

import pytest

from schemas.datasets import Column, Dataset, OddCell
from schemas.models import Model, ModelEngine
from storage.errors import StorageError
from storage.feature_matching import match_features

_NOW = datetime.now(UTC)


def _model(names: list[str], types: list[Any] | None = None) -> Model:
    return Model(
        id="mdl_1",
        name=None,
        sha256="",
        size_bytes=1,
        task="regression",
        ensemble=None,
        ensemble_inferred=False,
        classes=[],
        n_classes=0,
        n_features=len(names),
        feature_names=names,
        feature_types=types or ["number"] * len(names),
        n_trees=1,
        n_nodes=1,
        n_leaves=1,
        max_depth=0,
        operators=[],
        column_map=[],
        parity=None,
        engine=ModelEngine(name="onnxruntime", reason=None),
        decision=None,
        created_at=_NOW,
    )


def _column(name: str, kind: Any = "number", role: Any = "feature", n_missing: int = 0) -> Column:
    return Column(
        name=name, type=kind, role=role, n_missing=n_missing, n_categories=None, categories=None, min=None, max=None
    )


def _dataset(*columns: Column) -> Dataset:
    return Dataset(
        id="ds_1",
        name=None,
        sha256="",
        size_bytes=1,
        n_rows=5,
        n_columns=len(columns),
        n_features=sum(column.role == "feature" for column in columns),
        target=None,
        row_id=None,
        columns=list(columns),
        created_at=_NOW,
    )


def test_named_features_are_found_by_name_in_the_models_order_beside_others() -> None:
    dataset = _dataset(_column("income"), _column("unused"), _column("age", role="ignored"), _column("debt"))

    assert match_features(_model(["age", "debt", "income"]), dataset) == ("age", "debt", "income")


def test_features_that_were_never_named_are_taken_by_position() -> None:
    dataset = _dataset(_column("t", role="target"), _column("b"), _column("a"))

    assert match_features(_model(["x0", "x1"]), dataset) == ("b", "a")


def test_columns_that_were_never_named_are_taken_by_position() -> None:
    dataset = _dataset(_column("x0"), _column("t", role="target"), _column("x1"))

    assert match_features(_model(["age", "debt"]), dataset) == ("x0", "x1")
    with pytest.raises(StorageError, match="lacks 'age', 'debt', 'income'"):
        match_features(_model(["age", "debt", "income"]), dataset)


def test_by_position_only_where_the_numbers_agree() -> None:
    with pytest.raises(StorageError, match="lacks 'x2'"):
        match_features(_model(["x0", "x1", "x2"]), _dataset(_column("x0"), _column("x1")))


def test_features_without_a_column_are_named_and_the_columns_that_there_are() -> None:
    with pytest.raises(StorageError) as refused:
        match_features(_model(["age", "debt"]), _dataset(_column("age"), _column("Debt")))

    assert refused.value.code == "schema_mismatch"
    assert "lacks 'debt'" in refused.value.detail
    assert "'Debt'" in refused.value.detail


def test_a_long_list_is_cut_short() -> None:
    with pytest.raises(StorageError) as refused:
        match_features(_model([f"f{position}" for position in range(500)]), _dataset(_column("a")))

    assert "and 492 more" in refused.value.detail
    assert len(refused.value.detail) < 300


@pytest.mark.parametrize(
    ("given", "wanted", "fits"),
    [
        ("number", "number", True),
        ("boolean", "number", True),  # as 0 and 1
        ("category", "number", False),
        ("category", "category", True),
        ("number", "category", False),
        ("boolean", "category", False),
    ],
)
def test_a_columns_type_must_be_the_features(given: str, wanted: str, *, fits: bool) -> None:
    model, dataset = _model(["age"], [wanted]), _dataset(_column("age", given))

    if fits:
        assert match_features(model, dataset) == ("age",)
    else:
        with pytest.raises(StorageError, match=f"'age' is a {given}, the model wants a {wanted}") as refused:
            match_features(model, dataset)
        assert refused.value.code == "schema_mismatch"


@pytest.mark.parametrize("given", ["number", "category"])
@pytest.mark.parametrize("wanted", ["number", "category"])
def test_a_column_without_a_single_value_fits_anything(given: str, wanted: str) -> None:
    assert match_features(_model(["age"], [wanted]), _dataset(_column("age", given, n_missing=5))) == ("age",)


def _texts(name: str, *categories: str, odd: OddCell | None = None) -> Column:
    return _column(name, "category").model_copy(update={"categories": list(categories), "category_because": odd})


@pytest.mark.parametrize(
    ("column", "detail"),
    [
        (_texts("f", "1", "?", odd=OddCell(row=3, text="?")), r"row 3 .*'\?'.*; correct the cell, or leave it empty"),
        (
            _texts("f", "1", "?"),
            r"because '\?' is no number.*null\) where one is missing; in CSV.*missing_values=\['\?'\]",
        ),
        (_texts("f", "1", "2.5"), "its texts spell numbers: send them as numbers"),
        (_texts("f", "1,5", "2,5"), "not texts such as '1,5' .decimals have a point"),
        (_column("f", "category"), "again with numbers in these columns .decimals"),
    ],
)
def test_what_to_do_about_texts_depends_on_what_they_are(column: Column, detail: str) -> None:
    with pytest.raises(StorageError, match=detail):
        match_features(_model(["f"]), _dataset(column))


def test_columns_that_are_no_categories_are_named_with_what_declares_them_such() -> None:
    model = _model(["age", "zip", "flag"], ["number", "category", "category"])
    numbers = _dataset(_column("age"), _column("zip"), _column("flag", "category"))
    with pytest.raises(StorageError, match=r"with categories=\['zip'\], which takes their values as texts$"):
        match_features(model, numbers)
    booleans = _dataset(_column("age"), _column("zip"), _column("flag", "boolean"))
    with pytest.raises(StorageError, match=r"with categories=\['zip', 'flag'\].*booleans as 'true' and 'false'"):
        match_features(model, booleans)
