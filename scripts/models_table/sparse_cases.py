"""Cases of steps that hand on sparse columns, of which XGBoost takes zeros for missing."""

from collections.abc import Callable
from typing import Any

from sklearn import compose, ensemble, feature_selection, preprocessing
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

GROUPS = (SPARSE,)
