"""Write docs/summaries.md: what explanations say in sentences, of two held-out rows of each of five datasets.

Start a service first (``leafspace serve --data-dir …``), and name it in ``LEAFSPACE_URL`` if it is not at
http://127.0.0.1:8000. The datasets are found by ``LEAFSPACE_SHARED``. What is printed is ``explanation.summary``.
"""

import os
import textwrap
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pandas as pd
from leafspace_client import Leafspace
from lightgbm import LGBMClassifier, LGBMRegressor
from sklearn.compose import make_column_transformer
from sklearn.ensemble import RandomForestClassifier
from sklearn.impute import SimpleImputer
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder

from tests.support.shared import shared_path

_TARGET = Path(__file__).parents[1] / "docs/summaries.md"
_MOST_ROWS, _N_HELD_OUT, _WIDTH = 6_000, 200, 118
_HEAD = """# Summaries

The `explanation.summary` of ten rows that their models were not trained on, two of each of five datasets, with
`include=["evidence", "changes"]`. `python -m scripts.write_summaries` wrote this page. All effects and changes are of
the models, and not of the world.
"""


@dataclass(frozen=True)
class _Case:
    """A dataset, and what is made of it."""

    name: str
    target: str
    about: str
    model: Any  # an estimator
    labels: Mapping[Any, str] = field(default_factory=dict)  # of the target
    dropped: tuple[str, ...] = ()
    decision: Mapping[str, Any] | None = None
    rows: tuple[float, float] = (0.25, 0.75)  # which of the held-out rows, by the quantile of their score


def _one_hot(numbers: list[str], categories: list[str], forest: Any) -> Any:  # estimators
    return make_pipeline(
        make_column_transformer(
            (SimpleImputer(strategy="median"), numbers),
            (
                make_pipeline(SimpleImputer(strategy="most_frequent"), OneHotEncoder(handle_unknown="ignore")),
                categories,
            ),
        ),
        forest,
    )


_CASES = (
    _Case(
        "pima_diabetes",
        "target",
        "A random forest of 200 trees, whose score of diabetes decides what is done.",
        RandomForestClassifier(200, min_samples_leaf=3, random_state=0),
        {0.0: "no diabetes", 1.0: "diabetes"},
        decision={
            "score_of": "diabetes",
            "bands": {"no further test": 0.2, "test again": 0.5, "refer": None},
            "adverse": ["refer"],
        },
    ),
    _Case(
        "titanic",
        "survived",
        "A random forest of 200 trees behind a one-hot encoder.",
        _one_hot(
            ["age", "sibsp", "parch", "fare"],
            ["pclass", "sex", "embarked"],
            RandomForestClassifier(200, min_samples_leaf=2, random_state=0),
        ),
        {0: "drowned", 1: "survived"},
        dropped=("name", "ticket", "cabin"),
        rows=(0.3, 0.9),
    ),
    _Case(
        "adult",
        "income",
        "LightGBM with native categories; upper incomes are those above 50,000, and their score has a cut-off of 0.3.",
        LGBMClassifier(n_estimators=100, verbose=-1, n_jobs=1),
        {"<=50K": "lower income", ">50K": "upper income"},
        dropped=("fnlwgt", "education_num", "source_split"),
        decision={"score_of": "upper income", "bands": {"no offer": 0.3, "offer": None}, "best_first": False},
        rows=(0.5, 0.85),
    ),
    _Case(
        "sick_thyroid",
        "class",
        "LightGBM with native categories and missing values.",
        LGBMClassifier(n_estimators=60, verbose=-1, n_jobs=1),
        rows=(0.5, 0.995),
    ),
    _Case(
        "california_housing",
        "median_house_value",
        "LightGBM, a regression: the median value of houses in a district, in dollars.",
        LGBMRegressor(n_estimators=150, verbose=-1, n_jobs=1),
    ),
)


def _read(case: _Case) -> pd.DataFrame:
    frame = pd.read_parquet(shared_path(f"data/{case.name}.parquet")).drop(columns=list(case.dropped))
    frame = frame.sample(min(len(frame), _MOST_ROWS), random_state=0).reset_index(drop=True)
    texts = [name for name in frame.columns.drop(case.target) if frame[name].dtype.kind not in "biuf"]
    frame[texts] = frame[texts].astype("object").where(frame[texts].notna(), None)
    if case.name != "titanic":
        frame[texts] = frame[texts].astype("category")
    if case.labels:
        frame[case.target] = frame[case.target].map(case.labels)
    return frame


def _summaries(client: Leafspace, case: _Case) -> list[str]:
    frame = _read(case)
    known, new = frame[:-_N_HELD_OUT], frame[-_N_HELD_OUT:]
    features = known.drop(columns=case.target)
    case.model.fit(features, known[case.target])
    is_classifier = hasattr(case.model, "predict_proba")
    model = client.register_model(case.model, features, name=case.name, decision=case.decision)
    dataset = client.register_dataset(known, target=case.target, name=case.name)
    prototypes = client.prototype_sets.create(model, dataset, n_prototypes=12).wait()
    explainer = client.explainers.create(model, prototypes)
    rows = new.drop(columns=case.target)
    scores = case.model.predict_proba(rows)[:, 1] if is_classifier else case.model.predict(rows)
    order = scores.argsort()
    picked = rows.iloc[[int(order[int(share * (len(order) - 1))]) for share in case.rows]]
    explained = explainer.explain(picked, include=["evidence", "changes"] if is_classifier else [])
    return [explanation.summary for explanation in explained]


def main() -> None:
    """Write the page."""
    client = Leafspace(os.environ.get("LEAFSPACE_URL", "http://127.0.0.1:8000"))
    parts = [_HEAD]
    for case in _CASES:
        parts.append(f"## {case.name}\n\n{case.about}\n")
        for summary in _summaries(client, case):
            quoted = textwrap.wrap(summary, _WIDTH, break_long_words=False, break_on_hyphens=False)
            parts.append("\n".join(f"> {line}" for line in quoted) + "\n")
    _TARGET.write_text("\n".join(parts))


if __name__ == "__main__":
    main()
