"""Cases of sparse columns, of which XGBoost takes zeros for missing, and of rows that are no tables of numbers."""

from collections.abc import Callable
from typing import Any

from sklearn import compose, ensemble, feature_extraction, feature_selection, preprocessing
from sklearn.pipeline import make_pipeline

from .cases import Case, Estimator, Group, Rows
from .estimators import forest, lgb, xgb


def _columns(threshold: float = 1.0) -> Estimator:
    texts = ("c", preprocessing.OneHotEncoder(handle_unknown="ignore"), ["sex", "port"])
    return compose.ColumnTransformer([texts, ("n", "passthrough", ["parch"])], sparse_threshold=threshold)


def _behind_columns(model: Callable[[], Estimator]) -> Callable[[], Estimator]:
    return lambda: make_pipeline(_columns(), model())


def _vote() -> Estimator:
    return ensemble.VotingClassifier([("x", xgb()()), ("l", lgb()()), ("f", forest())], voting="soft")


def _as_sparse(rows: Rows) -> Any:
    from scipy import sparse  # heavy

    return sparse.csr_matrix(rows.where(rows > 0, 0).to_numpy())


SPARSE = Group(
    "Sparse columns",
    "One-hot columns as scikit-learn hands them on, and sparse matrices as rows.",
    (
        *(
            Case(f"sparse one-hot columns, {name}", _behind_columns(model), "titanic", ways=(True,))
            for name, model in (("XGBoost", xgb()), ("LightGBM", lgb()), ("random forest", forest), ("a vote", _vote))
        ),
        Case("dense one-hot columns, XGBoost", lambda: make_pipeline(_columns(0), xgb()()), "titanic", ways=(True,)),
        Case(
            "sparse one-hot columns and a selection, XGBoost",
            lambda: make_pipeline(_columns(), feature_selection.SelectKBest(k=3), xgb()()),
            "titanic",
            ways=(True,),
        ),
        Case(
            "KBinsDiscretizer, sparse, XGBoost",
            lambda: make_pipeline(preprocessing.KBinsDiscretizer(3, strategy="uniform"), xgb()()),
            "binary",
        ),
        *(
            Case(
                f"a sparse matrix, {name}",
                model,
                "binary",
                lambda e, x, y: e.fit(_as_sparse(x), y),
                rows=_as_sparse,
                ways=(True,),
            )
            for name, model in (("XGBoost", xgb()), ("LightGBM", lgb()), ("random forest", forest))
        ),
    ),
)


def _changed(name: str, steps: Callable[[], Estimator], change: Callable[[Rows], Any]) -> Case:
    return Case(name, steps, "titanic", lambda e, x, y: e.fit(change(x), y), rows=change, ways=(True,))


def _with_ratio(rows: Rows) -> Rows:
    return rows.assign(ratio=rows["parch"] / 7)


def _of_arrays(*parts: Any) -> Callable[[], Estimator]:
    return lambda: make_pipeline(compose.make_column_transformer(*parts), forest())


OTHER_ROWS = Group(
    "Rows that are no tables of numbers",
    "Arrays with texts, dictionaries, texts, and functions that make columns.",
    (
        _changed(
            "an array of objects, texts among them",
            _of_arrays((preprocessing.OneHotEncoder(), [0]), ("passthrough", [1])),
            lambda x: x[["sex", "parch"]].to_numpy(object),
        ),
        _changed(
            "an array of texts",
            _of_arrays((preprocessing.OrdinalEncoder(), [0, 1])),
            lambda x: x[["sex", "sex"]].to_numpy(str),
        ),
        _changed(
            "DictVectorizer of dictionaries",
            lambda: make_pipeline(feature_extraction.DictVectorizer(), forest()),
            lambda x: x[["sex", "parch"]].to_dict("records"),
        ),
        _changed(
            "CountVectorizer of texts alone",
            lambda: make_pipeline(feature_extraction.text.CountVectorizer(), forest()),
            lambda x: x["sex"].tolist(),
        ),
        Case(
            "FunctionTransformer that makes a column",
            lambda: make_pipeline(
                preprocessing.FunctionTransformer(_with_ratio),
                compose.make_column_transformer(("passthrough", ["parch", "ratio"])),
                forest(),
            ),
            "titanic",
            ways=(True,),
        ),
    ),
)

GROUPS = (SPARSE, OTHER_ROWS)
