"""What explanations print decides all reference rows as the intervals beside it do, in numbers that a person writes."""

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from sklearn.ensemble import RandomForestClassifier

from explanations.explained_rows import explain_instances
from explanations.warm_explainer import WarmExplainer, warm_up
from schemas.dictionaries import DictionaryRequest
from schemas.explanations import ExplanationRequest
from service.operations.dictionaries import put_dictionary
from service.operations.preconditions import Precondition
from tests.support.models import onnx_of
from tests.support.printed_conditions import holds
from tests.support.workshop import workshop_in
from tree_explainers.wording import Interval

_N_ROWS = 80


def _rows() -> pd.DataFrame:
    draw = np.random.default_rng(3)
    near = 0.335862701 + np.arange(_N_ROWS) * 1e-8  # six digits would put several on one side
    return pd.DataFrame(
        {
            "hr": draw.integers(0, 24, _N_ROWS).astype(np.float64),
            "member": draw.integers(0, 2, _N_ROWS),
            "smoker": draw.integers(0, 2, _N_ROWS).astype(np.bool_),
            "temperature": draw.integers(300, 420, _N_ROWS).astype(np.float32) / np.float32(10),
            "ratio": np.where(draw.random(_N_ROWS) < 0.5, draw.random(_N_ROWS), near),
        }
    )


@pytest.fixture(scope="module")
def warm(tmp_path_factory: pytest.TempPathFactory) -> Iterator[WarmExplainer]:
    rows = _rows()
    target = ((rows.hr % 7 > 3) ^ (rows.member == 1) ^ (rows.ratio > 0.336) ^ (rows.temperature > 36)).to_numpy()
    forest = RandomForestClassifier(12, random_state=0).fit(rows.to_numpy(np.float32), target)
    with workshop_in(tmp_path_factory.mktemp("printed")) as workshop:
        model = workshop.register_model(onnx_of(forest, rows.to_numpy(np.float32)), feature_names=list(rows))
        dataset = workshop.register_dataset(rows.assign(t=target), target="t")
        made = workshop.make(model=model, dataset=dataset, n_prototypes=6)
        assert made.status == "ready", made.problem
        explainer = workshop.register_explainer(model=model, prototype_set=made.id)
        context = workshop.context
        yield warm_up(explainer, context.database, context.objects, context.sessions.get)


def _conditions(warm: WarmExplainer) -> list[dict[str, Any]]:
    request = ExplanationRequest(instances=_rows().head(20).astype(object).to_numpy().tolist(), include=["intervals"])
    near = [each for found in explain_instances(warm, request) for each in found["nearest_prototypes"]]
    return [reason for prototype in near for reason in prototype["reasons"]]


def test_each_reference_row_is_decided_as_by_the_models_own_ends(warm: WarmExplainer) -> None:
    rows, conditions = _rows(), _conditions(warm)
    for reason in conditions:
        text, ends = reason["text"].removeprefix(f"{reason['feature']} is "), reason["interval"]
        low, high = (np.float32(ends.get(end, none)) for end, none in (("low", -np.inf), ("high", np.inf)))
        exact = Interval(float(low), float(high), ends.get("low_inclusive", False), ends.get("high_inclusive", True))
        for value in rows[reason["feature"]].to_numpy():
            as_read = float(np.float32(value))
            as_shown = float(str(value)) if isinstance(value, np.float32) else float(value)
            assert holds(text, as_shown) == exact.admits(as_read), (reason, value)
    assert {reason["feature"] for reason in conditions} == set(rows)


def test_each_column_speaks_in_its_own_numbers(warm: WarmExplainer) -> None:
    forms = {
        "hr": r"(at most |at least )?\d+( to \d+)?",
        "member": "yes|no",
        "smoker": "yes|no",
        "temperature": r"[a-z ]*\d\d(\.\d)?( (to|and [a-z ]*)? ?\d\d(\.\d)?)?",
    }
    for reason in _conditions(warm):
        text = reason["text"].removeprefix(f"{reason['feature']} is ")
        assert re.fullmatch(forms.get(reason["feature"], ".*"), text), reason


def test_years_and_what_the_dictionary_says_have_no_commas_and_other_numbers_have(tmp_path: Path) -> None:
    draw = np.random.default_rng(5)
    rows = pd.DataFrame({
        "year": draw.integers(1995, 2016, _N_ROWS).astype(np.float64),
        "branch": draw.integers(10_000, 99_999, _N_ROWS).astype(np.float64),
        "amount": draw.integers(1500, 9000, _N_ROWS).astype(np.float64),
    })  # fmt: skip
    target = ((rows.year > 2005) ^ (rows.branch > 50_000) ^ (rows.amount > 5000)).to_numpy()
    forest = RandomForestClassifier(12, random_state=0).fit(rows.to_numpy(np.float32), target)
    with workshop_in(tmp_path) as workshop:
        context = workshop.context
        model = workshop.register_model(onnx_of(forest, rows.to_numpy(np.float32)), feature_names=list(rows))
        dataset = workshop.register_dataset(rows.assign(t=target), target="t")
        words = {"features": [{"name": "branch", "plain_digits": True}]}
        put_dictionary(context, dataset, DictionaryRequest.model_validate(words), Precondition())
        made = workshop.make(model=model, dataset=dataset, n_prototypes=4)
        explainer = workshop.register_explainer(model=model, prototype_set=made.id)
        warm = warm_up(explainer, context.database, context.objects, context.sessions.get)
        shown = {column.name: column.plain_digits for column in context.datasets.get(dataset).view.columns}
    assert shown == {"year": True, "branch": True, "amount": None, "t": None}

    sent = [*rows.head(20).to_numpy().tolist(), [2050.0, 123456.0, 12345.0]]
    found = explain_instances(warm, ExplanationRequest(instances=sent, include=["changes", "contrast"]))

    texts = re.findall(r'"(?:text|summary|detail)":\s*"([^"]*)"', json.dumps(found))
    alone = [text for text in texts if " and " not in text and re.match("year|branch", text)]
    assert not [text for text in alone if re.search(r"\d,\d", text)]
    assert any(text.startswith("year is at ") for text in alone)
    assert any("branch is 123456" in text for text in texts)
    assert any("amount is 12,345" in text for text in texts)
