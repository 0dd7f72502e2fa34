"""Printed numbers: how many of those in conditions are a machine's, on models of real data by three libraries.

Counted are the numbers of reasons, contrasts, rules and questions of trees. A number is a machine's if it has an
exponent, more decimals than any value of its column, or more than six significant digits where its column's values have
not that many. Whole columns with fractions are those whose values are whole numbers, and whose conditions are not.
The model's own ends are those of the answers' intervals, in the fewest digits that bring them back.

``python -m benchmarks.printed_numbers [DATA ...] > benchmarks/results/printed_numbers.md``
"""

import re
import sys
import tempfile
import warnings
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from decimal import Decimal
from functools import partial
from math import inf
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from leafspace_client.conversion import convert_model
from lightgbm import LGBMClassifier
from sklearn.ensemble import RandomForestClassifier
from xgboost import XGBClassifier

from explanations.explained_rows import explain_instances
from explanations.warm_explainer import warm_up
from schemas.explanations import ExplanationRequest
from tests.support.shared import shared_path
from tests.support.workshop import Workshop, workshop_in
from tree_explainers import wording

from .machine import describe_machine

_MOST_ROWS, _N_EXPLAINED, _N_TREES = 2_000, 60, 30
_TARGETS = {
    "adult": "income",
    "covertype_20k": "cover_type",
    "magic_gamma": "target",
    "pima_diabetes": "target",
    "sick_thyroid": "class",
    "spambase": "class",
    "titanic": "survived",
}
_LIBRARIES: dict[str, Callable[[], Any]] = {
    "LightGBM": partial(LGBMClassifier, n_estimators=_N_TREES, verbose=-1, random_state=0, n_jobs=1),
    "XGBoost": partial(XGBClassifier, n_estimators=_N_TREES, max_depth=5, random_state=0, n_jobs=1),
    "random forest": partial(RandomForestClassifier, _N_TREES, max_depth=8, random_state=0),
}
_NUMBER = re.compile(r"(?<![\w.])-?\d[\d,]*(?:\.\d+)?(?:e[-+]?\d+)?(?![\w.])")
_FEWEST_MACHINE_DIGITS = 7


@dataclass
class Counts:
    """What was counted of the numbers of one model's conditions."""

    n_numbers: int = 0
    n_machine: int = 0
    n_beyond_six: int = 0  # significant digits, whatever the column has
    whole_with_fractions: set[str] = field(default_factory=set)
    examples: Counter[str] = field(default_factory=Counter)

    def add(self, feature: str, text: str, digits: "Digits") -> None:
        """Count the numbers of a condition, which follows the feature's name."""
        for number in _NUMBER.findall(text):
            decimals, significant = _digits(number)
            is_machine = "e" in number or decimals > digits.decimals
            is_machine |= significant >= max(_FEWEST_MACHINE_DIGITS, digits.significant + 1)
            self.n_numbers += 1
            self.n_machine += is_machine
            self.n_beyond_six += significant >= _FEWEST_MACHINE_DIGITS
            if is_machine:
                self.examples[f"{feature} {text}"] += 1
            if digits.decimals == 0 and decimals > 0:
                self.whole_with_fractions.add(feature)


@dataclass(frozen=True)
class Digits:
    """The most decimals and significant digits of a column's values."""

    decimals: int
    significant: int


def main() -> None:
    """Print the counts of all models."""
    warnings.simplefilter("ignore")
    print(__doc__.partition("\n\n``")[0])
    print(f"\n{describe_machine()}\n")
    print("| data | library | ends | numbers | a machine's | more than six digits | whole columns with fractions |")
    print("|---|---|---|---|---|---|---|")
    examples: Counter[str] = Counter()
    totals: dict[tuple[str, str], list[int]] = {}
    with tempfile.TemporaryDirectory() as folder, workshop_in(Path(folder)) as workshop:
        for name, target in ((name, _TARGETS[name]) for name in sys.argv[1:] or _TARGETS):
            for library in _LIBRARIES:
                for when, counts in _measure(workshop, name, target, library).items():
                    line = [counts.n_numbers, counts.n_machine, counts.n_beyond_six, len(counts.whole_with_fractions)]
                    print(f"| {name} | {library} | {when} |", " | ".join(f"{each:,}" for each in line), "|", flush=True)
                    before = totals.get((library, when), [0] * len(line))
                    totals[library, when] = [one + other for one, other in zip(before, line, strict=True)]
                    examples += counts.examples if when == "printed" else Counter()
    for (library, when), line in totals.items():
        print(f"| all | {library} | {when} |", " | ".join(f"{each:,}" for each in line), "|")
    print(
        "\nA machine's that are still printed:", "; ".join(text for text, _ in examples.most_common(20)) or "none", "\n"
    )


def _measure(workshop: Workshop, name: str, target: str, library: str) -> dict[str, Counts]:
    frame = pd.read_parquet(shared_path(f"data/{name}.parquet"))
    frame = frame.sample(min(_MOST_ROWS, len(frame)), random_state=0).reset_index(drop=True)
    labels = frame[target].astype("category").cat.codes.to_numpy()
    rows = frame.drop(columns=target).select_dtypes(["number", "bool"]).astype(float)
    rows = rows.loc[:, rows.notna().any()]
    rows.columns = [
        f"{re.sub(r'[^a-zA-Z0-9]', '_', str(column))}_{index}" for index, column in enumerate(rows)
    ]  # LightGBM's
    model = _LIBRARIES[library]().fit(rows, labels)
    digits = {column: _digits_of(rows[column].dropna()) for column in rows}
    converted = convert_model(model, rows)
    model_id = workshop.register_model(converted.onnx, **converted.metadata())
    dataset = workshop.register_dataset(rows.assign(**{"the target": labels}), target="the target")
    found = {"the model's own": Counts(), "printed": Counts()}
    for feature, text, interval in _reasons(workshop, model_id, dataset, rows):
        found["printed"].add(feature, text, digits[feature])
        found["the model's own"].add(feature, _exact(interval), digits[feature])
    for feature, text in _questions(workshop, model_id, dataset):
        found["printed"].add(feature, text, digits[feature])
    return found


def _reasons(
    workshop: Workshop, model: str, dataset: str, rows: pd.DataFrame
) -> Iterator[tuple[str, str, dict[str, Any]]]:
    """Yield the feature, the words and the interval of all reasons and contrasts of some rows."""
    made = workshop.make(model=model, dataset=dataset, n_prototypes=10)
    assert made.status == "ready", made.problem
    explainer = workshop.register_explainer(model=model, prototype_set=made.id)
    context = workshop.context
    warm = warm_up(explainer, context.database, context.objects, context.sessions.get)
    names = warm.model.feature_names
    chosen = rows[list(names)].head(_N_EXPLAINED).replace({np.nan: None})
    request = ExplanationRequest(instances=chosen.to_numpy(object).tolist(), include=["contrast", "intervals"])
    for explanation in explain_instances(warm, request):
        near = explanation["nearest_prototypes"]
        contrasts = [entry for each in explanation["contrasts"] for entry in each["differences"]]
        for entry in [*(reason for each in near for reason in each["reasons"]), *contrasts]:
            condition = entry["text"].removeprefix("whether ").partition(";")[0]
            yield entry["feature"], condition.removeprefix(f"{entry['feature']} is "), entry["interval"]


def _exact(interval: dict[str, Any]) -> str:
    low, high = interval.get("low", -inf), interval.get("high", inf)
    inclusive = interval.get("low_inclusive", False), interval.get("high_inclusive", True)
    return wording.interval(low, high, low_inclusive=inclusive[0], high_inclusive=inclusive[1])


def _questions(workshop: Workshop, model: str, dataset: str) -> Iterator[tuple[str, str]]:
    """Yield the feature and the words of the conditions of rules and of a tree."""
    rules = workshop.find_rules(model=model, dataset=dataset, method="rule_list", max_rules=10)
    assert rules.result is not None, rules.problem
    for rule in rules.result.rules:
        for text in rule.text.split(", and ") if rule.text != "always" else ():
            feature, _, condition = text.partition(" is ")
            yield feature, condition
    tree = workshop.grow_tree(model=model, dataset=dataset, method="cart", max_depth=5)
    assert tree.result is not None, tree.problem
    for node in tree.result.nodes:
        if node.text is not None and node.feature is not None:
            yield node.feature, node.text.removeprefix(f"{node.feature} is ")


def _digits_of(values: "pd.Series[float]") -> Digits:
    texts = {repr(value) for value in values.unique().tolist()}
    found = [_digits(text) for text in texts]
    return Digits(max(decimals for decimals, _ in found), max(significant for _, significant in found))


def _digits(number: str) -> tuple[int, int]:
    """Return the decimals and the significant digits of a number."""
    parts = Decimal(number.replace(",", "")).normalize().as_tuple()
    exponent = int(parts.exponent)
    return max(0, -exponent), len(parts.digits)


if __name__ == "__main__":
    main()
