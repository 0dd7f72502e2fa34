"""Cases of pipelines as people put them together: steps in steps, chosen, grouped, passed on, or made by functions."""

from collections.abc import Callable
from typing import Any

import numpy as np
from sklearn import compose, feature_extraction, feature_selection, impute, preprocessing
from sklearn.ensemble import BaggingClassifier
from sklearn.pipeline import FeatureUnion, make_pipeline, make_union

from .cases import Case, Estimator, Group, Rows
from .estimators import forest, histogram, lgb, xgb

_NUMBERS, _TEXTS = ["age", "fare", "parch"], ["sex", "port"]
_ONE_HOT = preprocessing.OneHotEncoder(handle_unknown="ignore", sparse_output=False)
_IMPUTED = impute.SimpleImputer(strategy="median", add_indicator=True)


def _on(*parts: Any, remainder: Any = "drop") -> compose.ColumnTransformer:
    named = [(f"part{at}", *part) for at, part in enumerate(parts)]
    return compose.ColumnTransformer(named, remainder=remainder, sparse_threshold=0)


def _rows(table: Rows) -> Rows:
    n_rows = len(table)
    return table.assign(
        grade=np.resize([1.0, 2.0, np.nan, 3.0], n_rows),
        dose=np.resize([0.1, 0.25, 0.3], n_rows),
        number=2**24 + np.arange(n_rows) % 4,
        code=np.resize([-999.0, 1.5, 2.5], n_rows),
        port=table["port"].astype(object).where(table["port"].notna(), np.nan),
    )


def _case(name: str, steps: Any, model: Callable[[], Estimator] = forest, around: Any = None) -> Case:
    def make() -> Estimator:
        pipeline = make_pipeline(*(steps if isinstance(steps, tuple) else (steps,)), model())
        return pipeline if around is None else around(pipeline)

    return Case(name, make, "titanic", lambda e, x, y: e.fit(_rows(x), y), rows=_rows, ways=(True,))


_TITANIC = _on((make_pipeline(_IMPUTED, preprocessing.StandardScaler()), _NUMBERS), (_ONE_HOT, _TEXTS))
_FILLED = _on((impute.SimpleImputer(), _NUMBERS))
_CODES = preprocessing.OrdinalEncoder(handle_unknown="use_encoded_value", unknown_value=-1, encoded_missing_value=-2)

PARTS = Group(
    "Pipelines of several parts",
    "On a table of numbers, texts, holes and booleans.",
    (
        _case("ColumnTransformer in a ColumnTransformer", _on((_TITANIC, [*_NUMBERS, *_TEXTS]), (_ONE_HOT, ["grade"]))),
        _case(
            "ColumnTransformer behind a ColumnTransformer", (_TITANIC, _on((preprocessing.StandardScaler(), [-1, 0])))
        ),
        _case(
            "ColumnTransformer behind imputed texts",
            (_on((impute.SimpleImputer(strategy="most_frequent"), ["port", "sex"])), _on((_ONE_HOT, [1, 0]))),
        ),
        _case(
            "imputed numbers in bagging",
            _on((_IMPUTED, [0, 1, 2])),
            around=lambda e: BaggingClassifier(e, 2, random_state=0),
        ),
        _case("remainder=a pipeline", _on((_ONE_HOT, ["sex", "port", "alone"]), remainder=make_pipeline(_IMPUTED))),
        _case("FeatureUnion of imputed and missing", _on((make_union(_IMPUTED, impute.MissingIndicator()), _NUMBERS))),
        _case(
            "FeatureUnion, weighted", (_FILLED, FeatureUnion([("a", "passthrough")], transformer_weights={"a": 0.3}))
        ),
        _case("SimpleImputer, missing_values=-999", _on((impute.SimpleImputer(missing_values=-999), ["code"]))),
        _case(
            "SimpleImputer, fill_value=-999",
            _on((impute.SimpleImputer(strategy="constant", fill_value=-999), _NUMBERS)),
            xgb(),
        ),
        _case("OneHotEncoder of all kinds", _on((_ONE_HOT, ["grade", "dose", "number", "alone", "sex", "port"]))),
        _case(
            "OneHotEncoder of numbers, drop=first", _on((preprocessing.OneHotEncoder(drop="first"), ["grade", "dose"]))
        ),
        _case(
            "OneHotEncoder of numbers, max_categories",
            _on((preprocessing.OneHotEncoder(max_categories=2, handle_unknown="ignore"), ["grade", "dose", "parch"])),
        ),
        _case("OrdinalEncoder of all kinds", _on((_CODES, ["grade", "dose", "alone", "sex", "port"])), lgb()),
        _case(
            "OrdinalEncoder, missing stay missing", _on((preprocessing.OrdinalEncoder(), ["grade", "port"])), histogram
        ),
        _case(
            "TargetEncoder of all kinds",
            _on((preprocessing.TargetEncoder(cv=2, random_state=0), ["grade", "dose", "sex"])),
        ),
        _case(
            "KBinsDiscretizer behind an imputer",
            (_FILLED, preprocessing.KBinsDiscretizer(3, encode="onehot-dense", strategy="kmeans")),
        ),
        _case("SelectFromModel behind encoders", (_TITANIC, feature_selection.SelectFromModel(forest()))),
        _case("whole numbers above 2**24", _on(("passthrough", ["number", "parch"])), histogram),
        _case("FunctionTransformer(lambda)", (_FILLED, preprocessing.FunctionTransformer(lambda rows: rows * 2))),
        _case("two vectorizers", _on((feature_extraction.text.TfidfVectorizer(), "sex"), ("passthrough", ["parch"]))),
    ),
)
GROUPS = (PARTS,)
