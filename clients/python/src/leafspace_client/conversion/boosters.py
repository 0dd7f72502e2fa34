"""XGBoost, LightGBM and CatBoost to ONNX, each by its own or its usual converter."""

import copy
import json
import tempfile
from pathlib import Path
from typing import Any

from ..errors import CannotConvert, Invalid
from .inputs import GRAPH_NAME, ModelInputs


def xgboost_onnx(estimator: Any, inputs: ModelInputs) -> bytes:  # noqa: ANN401  # an estimator
    """Return a fitted XGBoost model as ONNX; the estimator stays as it is."""
    from .scikit_learn import sklearn_onnx  # noqa: PLC0415  # imports an extra

    _refuse_texts(estimator, inputs)
    if "c" in (estimator.get_booster().feature_types or []):
        _refuse_categories(estimator)
    prepared = copy.deepcopy(estimator)
    # The converter knows features by number; names go into the metadata.
    prepared.get_booster().feature_names = None
    return sklearn_onnx(prepared, inputs)


def lightgbm_onnx(estimator: Any, inputs: ModelInputs) -> bytes:  # noqa: ANN401  # an estimator
    """Return a fitted LightGBM model as ONNX."""
    from .scikit_learn import sklearn_onnx  # noqa: PLC0415  # imports an extra

    _refuse_texts(estimator, inputs)
    if estimator.booster_.dump_model().get("pandas_categorical"):
        _refuse_categories(estimator)
    return sklearn_onnx(estimator, inputs)


def catboost_onnx(estimator: Any, inputs: ModelInputs) -> bytes:  # noqa: ANN401  # an estimator
    """Return a fitted CatBoost model as ONNX, which it writes itself."""
    _refuse_texts(estimator, inputs)
    if estimator.get_cat_feature_indices() or estimator.get_text_feature_indices():
        _refuse_categories(estimator)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "model.onnx"
        writable = _with_writable_labels(estimator, Path(folder) / "model.json")
        writable.save_model(str(path), format="onnx", export_parameters={"onnx_graph_name": GRAPH_NAME})
        return path.read_bytes()


def _with_writable_labels(estimator: Any, path: Path) -> Any:  # noqa: ANN401  # an estimator
    """Return the model with the positions of its classes for labels, where its own are booleans or fractions.

    CatBoost writes neither into ONNX. What the classes are called is declared beside the graph.
    """
    if all(isinstance(label, str | int) and not isinstance(label, bool) for label in _labels(estimator)):
        return estimator
    estimator.save_model(str(path), format="json")
    document = json.loads(path.read_text())
    positions = document["model_info"]["class_params"]["class_to_label"]
    document["model_info"]["class_params"] |= {"class_label_type": "Integer", "class_names": positions}
    path.write_text(json.dumps(document))
    return type(estimator)().load_model(str(path), format="json")


def _labels(estimator: Any) -> list[Any]:  # noqa: ANN401  # an estimator
    labels = getattr(estimator, "classes_", None)
    return [] if labels is None else list(getattr(labels, "tolist", lambda: labels)())


def _refuse_texts(estimator: Any, inputs: ModelInputs) -> None:  # noqa: ANN401  # an estimator
    if inputs.column_types is not None and "string" in inputs.column_types:
        _refuse_categories(estimator)
    if inputs.rows is not None and len(inputs.rows) == 0:
        raise Invalid("dataset_empty", "X has no rows; pass some, or leave it out")


def _refuse_categories(estimator: Any) -> None:  # noqa: ANN401  # an estimator
    detail = (
        f"{type(estimator).__name__} splits categories itself, which this version does not convert; encode them "
        "before, for example with a OneHotEncoder in a scikit-learn pipeline, or write ONNX whose trees ask for "
        "membership in sets (ai.onnx.ml 5, BRANCH_MEMBER) and register the file"
    )
    raise CannotConvert("cannot_convert", detail)
