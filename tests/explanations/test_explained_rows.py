"""One explanation as plain values: its reasons are those that the reader translates, in words and in numbers."""

import re
from decimal import Context, Decimal
from math import inf
from typing import Any

import numpy as np
import pandas as pd
import pytest
from numpy.typing import NDArray

from explanations import reason_heads
from explanations.explained_rows import explain_instances
from explanations.instances import read_instances, run_readable
from explanations.reason_intervals import interval_of
from schemas.explanations import ExplanationRequest
from tests.support.pipelines import PIPELINES, fitted_pipeline
from tests.support.printed_conditions import holds
from tests.support.sampling import mostly_long
from tree_explainers.prototype_sets.feature_reasons import FeatureReason
from tree_explainers.wording import MISSING_ALLOWED, Interval

from .conftest import Case, FindCase

Json = dict[str, Any]
FEW = ("random_forest_binary", "gradient_boosting_multiclass", "one_matrix", "missing_kept", "scaled_and_one_hot")
CASES = ("random_forest_binary", "gradient_boosting_multiclass", *PIPELINES)


def explained(case: Case, row: int, **request: object) -> Json:
    """Return the explanation of a row, or its refusal."""
    request_ = ExplanationRequest.model_validate({"instances": [case.rows[row]], **request})
    (document,) = explain_instances(case.warm, request_)
    return dict(document)


@pytest.mark.parametrize("name", mostly_long(CASES, "one_matrix", "missing_kept"))
def test_reasons_are_those_that_the_reader_translates(find_case: FindCase, name: str) -> None:
    case = find_case(name, "boosting" if name.startswith("gradient") else "random_forest")
    warm, n_reasons = case.warm, 0
    places = {prototype.row_id: place for place, prototype in enumerate(warm.prototypes)}
    for row in range(0, 60, 3):
        found = explained(case, row, detail="full")
        if found["status"] == "error":
            continue
        near = np.array([places[each["row_id"]] for each in found["nearest_prototypes"]], dtype=np.int64)
        values = list(case.rows[row])
        reasons = warm.reasons.of(near, warm.index.leaves[near] == leaves_of(case, values), warm.index.weights)
        expected = warm.reason_texts.reader.read(reasons, len(near), warm.unexpected.of_row(values))
        for each, own in zip(found["nearest_prototypes"], expected, strict=True):
            # What is as near by chance explains nothing.
            known = own if each["shared_trees"] > 1 and each["proximity"] >= 0.01 else []
            assert [(reason["share_of_trees"], reason["interval"]) for reason in each["reasons"]] == [
                (round(reason["share_of_trees"], 4), interval_of(reason)) for reason in known
            ]
            for reason, of_reader in zip(each["reasons"], known, strict=True):
                printed = widened(dict(of_reader)) if of_reader["transformed"] else as_printed(case, of_reader)
                assert reason["text"] in {of_reader["text"], printed}
            n_reasons += len(known)
    assert n_reasons > 50


@pytest.mark.parametrize("name", ["random_forest_binary", "scaled_and_one_hot"])
def test_texts_that_are_kept_are_those_that_are_made(
    find_case: FindCase, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    case = find_case(name)
    first = [explained(case, row, include=["intervals"]) for row in range(30)]
    again = [explained(case, row, include=["intervals"]) for row in range(30)]
    monkeypatch.setattr(reason_heads, "KEPT_REASONS", 0)  # all are forgotten when the next one is new
    without = [explained(case, row, include=["intervals"]) for row in reversed(range(30))]

    assert first == again == without[::-1]


def as_printed(case: Case, reason: FeatureReason) -> str | None:
    """Return the text of an interval whose ends are printed as a person writes them."""
    words = case.warm.reason_texts.phrases_of(reason["feature"])
    precision = case.warm.session.description.precision
    interval = Interval(
        -inf if reason["low"] is None else float(precision(reason["low"])),
        inf if reason["high"] is None else float(precision(reason["high"])),
        reason["low_inclusive"],
        reason["high_inclusive"],
        reason["or_missing"],
    )
    return None if words is None else words.sentence(interval)


def widened(reason: Json) -> str:
    """Return the text of an interval of a transformed column: ends of six digits, next to its own on the outer side."""
    parts = []
    for end, words, rounding in (
        ("low", ("above", "at least"), "ROUND_FLOOR"),
        ("high", ("below", "at most"), "ROUND_CEILING"),
    ):
        if reason[end] is not None:
            exact = Decimal(repr(reason[end]))
            outside = (
                Context(prec=6, rounding=rounding).plus(exact)
                if abs(exact) < 100_000
                else exact.to_integral_value(rounding)
            )
            parts.append(f"{words[reason[f'{end}_inclusive']]} {float(outside):,}".removesuffix(".0"))
    start = reason["text"].partition(" is ")[0]
    return f"{start} is {' and '.join(parts)}{MISSING_ALLOWED if reason['or_missing'] else ''}"


def test_reasons_of_transformed_columns_are_short_and_true_of_both_rows(find_case: FindCase) -> None:
    case, pipeline = find_case("principal_components"), fitted_pipeline("principal_components").pipeline
    names = case.warm.model.feature_names
    n_reasons = 0
    for row in range(0, 60, 3):
        found = explained(case, row, detail="full")
        for each in found.get("nearest_prototypes", []) if found["status"] == "ok" else []:
            prototype = next(one for one in case.warm.prototypes if one.row_id == each["row_id"])
            both = pd.DataFrame(
                [dict(zip(names, values, strict=True)) for values in (case.rows[row], prototype.values)]
            )
            columns = pipeline[0].transform(both.astype({"fare": float, "age": float}))
            for reason in each["reasons"]:
                if not reason["interval"].get("transformed"):
                    continue
                column = int(reason["text"].partition("component ")[2][0]) - 1
                condition = reason["text"].partition(" is ")[2]
                assert all(holds(condition, value) for value in columns[:, column])
                assert max(len(re.sub(r"\D", "", end).strip("0")) for end in re.findall(r"[\d.,]+", condition)) <= 6
                n_reasons += 1
    assert n_reasons > 50


def leaves_of(case: Case, instance: list[Any]) -> NDArray[np.int32]:
    outcome, _, _ = run_readable(case.warm.session, read_instances([instance], case.warm.features))
    leaves: NDArray[np.int32] = case.warm.leaves(outcome)[0]
    return leaves
