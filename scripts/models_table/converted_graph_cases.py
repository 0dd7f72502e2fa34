"""Cases of ONNX files as converters write them, with their options."""

from collections.abc import Callable
from typing import Any

import numpy as np

from .cases import Case, Estimator, Fit, Group, Rows
from .estimators import boosting, boosting_regressor, forest, forest_regressor
from .graph_truth import of_graph


def _skl(estimator: Callable[[], Estimator], **settings: Any) -> Fit:
    def fit(_: Estimator, rows: Rows, target: Any) -> bytes:
        from skl2onnx import to_onnx  # heavy
        from skl2onnx.common import data_types  # heavy

        model, known = estimator().fit(np.asarray(rows, np.float32), target), dict(settings)
        kind = getattr(data_types, known.pop("kind", "FloatTensorType"))
        inputs = [("X", kind([known.pop("batch", None), np.shape(rows)[1]]))]
        options = {id(model): known.pop("options")} if "options" in known else None
        return bytes(to_onnx(model, initial_types=inputs, options=options, **known).SerializeToString())

    return fit


def _onnxmltools(name: str, **settings: Any) -> Fit:
    def fit(_: Estimator, rows: Rows, target: Any) -> bytes:
        import onnxmltools  # heavy
        from onnxmltools.convert.common.data_types import FloatTensorType  # heavy

        library = __import__(name)
        few = {"n_estimators": 3, "n_jobs": 1, "max_depth": 3}
        kind = settings.get("kind", "XGBClassifier" if name == "xgboost" else "LGBMClassifier")
        model = getattr(library, kind)(**few, **({"min_child_samples": 5, "verbose": -1} if name == "lightgbm" else {}))
        model.fit(np.asarray(rows, np.float32), target)
        inputs = [("X", FloatTensorType([settings.get("batch"), 4]))]
        convert = onnxmltools.convert_xgboost if name == "xgboost" else onnxmltools.convert_lightgbm
        further = {} if name == "xgboost" else {"zipmap": settings.get("zipmap", True)}
        return bytes(convert(model, initial_types=inputs, target_opset=15, **further).SerializeToString())

    return fit


def _catboost(_: Estimator, rows: Rows, target: Any) -> bytes:
    import tempfile
    from pathlib import Path

    import catboost  # heavy

    model = catboost.CatBoostClassifier(3, depth=3, verbose=0, allow_writing_files=False, thread_count=1).fit(
        rows, target
    )
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "model.onnx"
        model.save_model(str(path), format="onnx")
        return path.read_bytes()


def _skl_case(name: str, estimator: Callable[[], Estimator], data: str, **settings: Any) -> Case:
    return of_graph(name, _skl(estimator, **settings), data)


CONVERTED = Group(
    "ONNX files of converters",
    "As sklearn-onnx, onnxmltools and CatBoost write them, with their options; registered as bytes.",
    (
        _skl_case("sklearn-onnx, random forest, zipmap (default)", forest, "binary"),
        _skl_case("sklearn-onnx, random forest, three classes, zipmap", forest, "multiclass"),
        *(
            _skl_case(f"sklearn-onnx, random forest, zipmap={value!r}", forest, "multiclass", options={"zipmap": value})
            for value in (False, "columns")
        ),
        *(
            _skl_case(
                f"sklearn-onnx, random forest, two classes, zipmap={value!r}",
                forest,
                "binary",
                options={"zipmap": value},
            )
            for value in (False, "columns")
        ),
        _skl_case(
            "sklearn-onnx, gradient boosting, raw_scores",
            boosting,
            "multiclass",
            options={"zipmap": False, "raw_scores": True},
        ),
        _skl_case(
            "sklearn-onnx, gradient boosting, two classes, raw_scores",
            boosting,
            "binary",
            options={"zipmap": False, "raw_scores": True},
        ),
        _skl_case(
            "sklearn-onnx, random forest, output_class_labels",
            forest,
            "binary",
            options={"zipmap": False, "output_class_labels": True},
        ),
        _skl_case("sklearn-onnx, random forest, nocl", forest, "binary", options={"zipmap": False, "nocl": True}),
        _skl_case(
            "sklearn-onnx, random forest, decision_path",
            forest,
            "binary",
            options={"zipmap": False, "decision_path": True},
        ),
        _skl_case(
            "sklearn-onnx, random forest, decision_leaf",
            forest,
            "binary",
            options={"zipmap": False, "decision_leaf": True},
        ),
        *(
            _skl_case(f"sklearn-onnx, {name}, a fixed batch of 1", make, data, batch=1)
            for name, make, data in (
                ("random forest", forest, "binary"),
                ("regressor", forest_regressor, "values"),
                ("gradient boosting", boosting, "multiclass"),
            )
        ),
        _skl_case("sklearn-onnx, random forest, doubles", forest, "binary", kind="DoubleTensorType"),
        *(
            _skl_case(f"sklearn-onnx, random forest, opset {opset}", forest, "binary", target_opset=opset)
            for opset in ({"": 9, "ai.onnx.ml": 1}, 12, {"": 15, "ai.onnx.ml": 3}, 17)
        ),
        _skl_case("sklearn-onnx, regressor", forest_regressor, "values"),
        _skl_case(
            "sklearn-onnx, regressor, ml opset 1", forest_regressor, "values", target_opset={"": 12, "ai.onnx.ml": 1}
        ),
        _skl_case("sklearn-onnx, gradient boosting regressor", boosting_regressor, "values"),
        of_graph("onnxmltools, XGBoost", _onnxmltools("xgboost"), "binary"),
        of_graph("onnxmltools, XGBoost, three classes", _onnxmltools("xgboost")),
        of_graph("onnxmltools, XGBoost regressor", _onnxmltools("xgboost", kind="XGBRegressor"), "values"),
        of_graph("onnxmltools, XGBoost, a fixed batch of 1", _onnxmltools("xgboost", batch=1), "binary"),
        of_graph("onnxmltools, LightGBM", _onnxmltools("lightgbm"), "binary"),
        of_graph("onnxmltools, LightGBM, zipmap=False", _onnxmltools("lightgbm", zipmap=False)),
        of_graph("onnxmltools, LightGBM regressor", _onnxmltools("lightgbm", kind="LGBMRegressor"), "values"),
        of_graph("CatBoost's own export", _catboost, "binary"),
        of_graph("CatBoost's own export, three classes", _catboost),
    ),
)

GROUPS = (CONVERTED,)
