"""Models that split categories themselves, from registration to explanations, rules, trees and exports."""

from typing import Any

import numpy as np
import pandas as pd
import pytest
from leafspace_client.conversion import convert_model

from tests.support.api import Api, Json, parquet_of
from tests.support.converted import n_infinite
from tests.support.native_models import CATEGORIES, NATIVE, native_model, native_rows, native_target
from tests.support.printed_rules import Row, run_python, run_sql
from tests.support.sampling import mostly_long

_TEXTS = CATEGORIES[:-1]
_WITH_GAPS = ("workclass", "occupation")
_PARTS = ["intervals", "contrast", "rules", "approximation_path", "nearest_rows"]


def plain(rows: pd.DataFrame) -> list[Row]:
    """Return rows as any client sends them: texts, numbers, and null where a value is missing."""
    cells = rows.astype(object).where(rows.notna(), None)
    return [{str(name): value for name, value in row.items()} for row in cells.to_dict("records")]


def odd_rows(name: str) -> pd.DataFrame:
    """Return rows with missing categories, and with some that nobody has seen where the library predicts for such."""
    rows = native_rows(name).head(40).copy()
    for place, column in enumerate(_TEXTS):
        values = rows[column].astype(object).where(rows[column].notna(), None)
        values.iloc[place] = "nan" if name == "native_catboost" else None
        if name != "native_xgboost":
            values.iloc[10 + place] = "never seen"
        rows[column] = values if name == "native_catboost" else pd.Categorical(values.astype("str"))
    return rows


def registered(api: Api, name: str) -> tuple[Json, Json, int]:
    """Return the model, the dataset, and how many of the model's parity rows have an infinite number."""
    rows = native_rows(name)
    converted = convert_model(native_model(name)[0], rows)
    model = api.upload("/v1/models", converted.onnx, converted.metadata())
    assert model.status_code in {200, 201}, model.text
    table = parquet_of(rows.assign(income=native_target(name)))
    dataset = api.upload("/v1/datasets", table, {"target": "income"})
    assert dataset.status_code in {200, 201}, dataset.text
    assert converted.parity is not None
    return model.json(), dataset.json(), n_infinite(converted.parity)


def holds(interval: Json, value: float | str | None) -> bool:
    """Read the interval of a reason as its description says."""
    if value is None or interval.get("is_missing"):
        return bool(interval.get("or_missing") or (interval.get("is_missing") and value is None))
    if "category" in interval or "categories" in interval:
        return value in interval.get("categories", [interval.get("category")])
    if value in interval.get("excluded_categories", []):
        return False
    if isinstance(value, str):
        return True
    above = value > interval.get("low", -np.inf) or (value == interval.get("low") and interval["low_inclusive"])
    below = value < interval.get("high", np.inf) or (value == interval.get("high") and interval["high_inclusive"])
    return bool(above and below)


@pytest.mark.long
@pytest.mark.parametrize("name", mostly_long(NATIVE, "native_lightgbm"))
def test_raw_categories_go_all_the_way(api: Api, name: str) -> None:
    estimator, rows, odd = native_model(name)[0], plain(native_rows(name)), odd_rows(name)
    model, dataset, n_infinite_rows = registered(api, name)
    base = {"model": model["id"], "dataset": dataset["id"]}
    rules = api.made("/v1/rule-sets", {**base, "max_rules": 5, "n_restarts": 2})
    tree = api.made("/v1/approximation-trees", {**base, "method": "ism", "max_depth": 4})
    prototypes = api.make(**base, n_prototypes=6)
    artefacts = {"prototype_set": prototypes["id"], "rule_set": rules["id"], "approximation_tree": tree["id"]}
    explainer = api.post("/v1/explainers", {"model": model["id"], **artefacts})
    assert explainer.status_code in {200, 201}, explainer.text

    answer = api.explain(explainer.json()["id"], plain(odd), include=_PARTS, n_reasons="all")

    found = answer["data"]
    # XGBoost alone rounds what it compares to single precision.
    assert answer["provenance"]["numerics"] == ("float32" if name.startswith("xgboost") else "float64")
    assert model["parity"]["n_rows"] - n_infinite_rows == 100
    assert not any(column["transformed"] for column in model["column_map"])
    predicted = np.asarray(estimator.predict(odd)).ravel().tolist()
    assert [each["prediction"]["label"] for each in found] == list(map(str, predicted))
    _reasons_hold(found, plain(odd))
    _exports_agree(api, f"/v1/rule-sets/{rules['id']}", plain(odd) + rows)
    exported = _exports_agree(api, f"/v1/approximation-trees/{tree['id']}", plain(odd) + rows)
    assert [each["approximation_path"]["leaf"]["prediction"] for each in found] == exported[: len(odd)]


def _reasons_hold(found: list[Json], rows: list[Row]) -> None:
    """Every reason is about a raw column, exact, and the row and the other row both fulfil it."""
    n_listed = 0
    for explanation, row in zip(found, rows, strict=True):
        for near in (*explanation["nearest_prototypes"], *explanation["nearest_rows"]):
            for reason in near["reasons"]:
                interval = reason["interval"]
                assert interval.get("exact", True), reason
                assert reason["value"] == row[reason["feature"]]
                # CatBoost's rows have the text "nan" where a value is missing.
                missing = ["nan"] if reason["feature"] in _WITH_GAPS else []
                # A category that no reference row has counts as a missing one where the model takes it for that.
                missing += ["never seen"] if interval.get("is_missing") else []
                values: list[Any] = [reason["value"], reason["prototype_value"]]
                assert all(holds(interval, None if value in missing else value) for value in values), reason
                n_listed += not {"category", "categories", "excluded_categories"}.isdisjoint(interval)
    assert n_listed > 0


def _exports_agree(api: Api, path: str, rows: list[Row]) -> list[Any]:
    """Run the exported function and the exported expression, and return what both say."""
    python, sql = (api.get(f"{path}/export?format={form}").text for form in ("python", "sql"))
    found = run_python(python, rows)
    assert run_sql(sql, rows, frozenset(_TEXTS)) == found
    assert len(set(found)) > 1
    return found
