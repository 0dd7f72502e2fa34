"""XGBoost, LightGBM and CatBoost to ONNX, alone or as the last step of a scikit-learn pipeline."""

import copy
import json
import tempfile
from pathlib import Path
from typing import Any

from ..errors import CannotConvert, Invalid
from .estimators import GRAPH_NAME, ModelInputs, library_of

_BOOLEAN, _NUMBER = "i", "q"  # as XGBoost calls them


def prepared_xgboost(estimator: Any, inputs: ModelInputs) -> Any:  # noqa: ANN401  # an estimator
    """Return a copy of a fitted XGBoost model as its converter reads it."""
    refuse_texts(estimator, inputs)
    prepared = copy.deepcopy(estimator)
    # The converter knows features by number; names go into the metadata.
    booster = prepared.get_booster()
    booster.feature_names = None
    # Of booleans ("i") XGBoost dumps no threshold, though it compares with one; the converter needs it.
    booster.feature_types = [_NUMBER if kind == _BOOLEAN else kind for kind in booster.feature_types or []] or None
    return prepared


def catboost_onnx(estimator: Any, inputs: ModelInputs) -> bytes:  # noqa: ANN401  # an estimator
    """Return a fitted CatBoost model as ONNX, which it writes itself."""
    refuse_texts(estimator, inputs)
    if estimator.get_text_feature_indices():
        _refuse_categories(estimator)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "model.onnx"
        writable = _with_writable_labels(estimator, Path(folder) / "model.json")
        writable.save_model(str(path), format="onnx", export_parameters={"onnx_graph_name": GRAPH_NAME})
        return path.read_bytes()


def _with_writable_labels(estimator: Any, path: Path) -> Any:  # noqa: ANN401  # an estimator
    """Return the model with the indices of its classes for labels, where its own are booleans or fractions.

    CatBoost writes neither into ONNX. What the classes are called is declared beside the graph.
    """
    if all(isinstance(label, str | int) and not isinstance(label, bool) for label in _labels(estimator)):
        return estimator
    estimator.save_model(str(path), format="json")
    document = json.loads(path.read_text())
    indices = document["model_info"]["class_params"]["class_to_label"]
    document["model_info"]["class_params"] |= {"class_label_type": "Integer", "class_names": indices}
    path.write_text(json.dumps(document))
    return type(estimator)().load_model(str(path), format="json")


def _labels(estimator: Any) -> list[Any]:  # noqa: ANN401  # an estimator
    labels = getattr(estimator, "classes_", None)
    return [] if labels is None else list(getattr(labels, "tolist", lambda: labels)())


def refuse_texts(estimator: Any, inputs: ModelInputs) -> None:  # noqa: ANN401  # an estimator
    """Refuse texts that a model without categories cannot read, and a table without rows."""
    if inputs.column_types is not None and "string" in inputs.column_types:
        _refuse_categories(estimator)
    if inputs.rows is not None and len(inputs.rows) == 0:
        raise Invalid("dataset_empty", "X has no rows; pass some, or leave it out")


def _refuse_categories(estimator: Any) -> None:  # noqa: ANN401  # an estimator
    detail = (
        f"{type(estimator).__name__} was not fitted on categories, and X has texts; fit it on columns of the type "
        "category, or encode them before, for example with a OneHotEncoder in a scikit-learn pipeline"
    )
    raise CannotConvert("cannot_convert", detail)


def fold_tree_weights(final: Any) -> None:  # noqa: ANN401  # an estimator
    """Change a copy of an XGBoost model of DART in place: each tree's weight goes into its leaves.

    XGBoost multiplies in single precision before it adds up; so is multiplied here. Converters know no weights.
    """
    if library_of(final) != "xgboost":
        return
    document = json.loads(final.get_booster().save_raw("json"))
    dart = document["learner"]["gradient_booster"]
    if dart["name"] != "dart":
        return
    import numpy as np  # noqa: PLC0415  # an extra

    for tree, weight in zip(dart["gbtree"]["model"]["trees"], dart["weight_drop"], strict=True):
        is_leaf = np.array(tree["left_children"]) == -1
        for name in ("split_conditions", "base_weights"):
            values = np.array(tree[name], np.float32)
            weighted = np.where(is_leaf, values * np.float32(weight), values)
            tree[name] = weighted.astype(np.float64).tolist()
    document["learner"]["gradient_booster"] = dart["gbtree"]
    folded = type(final.get_booster())()
    folded.load_model(bytearray(json.dumps(document).encode()))
    final.set_params(booster="gbtree")
    final._Booster = folded  # noqa: SLF001  # of a copy; a Booster keeps the settings that it once had


_OPTIONS = {"nocl": [True, False], "zipmap": [True, False, "columns"]}


def make_known(final: Any) -> None:  # noqa: ANN401  # an estimator
    """Register the converter of a booster with skl2onnx, unless that is done."""
    from skl2onnx import update_registered_converter  # noqa: PLC0415  # an extra
    from skl2onnx._supported_operators import sklearn_operator_name_map  # noqa: PLC0415  # an extra
    from skl2onnx.common.shape_calculator import (  # noqa: PLC0415  # an extra
        calculate_linear_classifier_output_shapes,
        calculate_linear_regressor_output_shapes,
    )

    library = library_of(final)
    if library not in ("xgboost", "lightgbm") or type(final) in sklearn_operator_name_map:
        return
    is_classifier = hasattr(final, "predict_proba")
    shapes = calculate_linear_classifier_output_shapes if is_classifier else calculate_linear_regressor_output_shapes
    options = _OPTIONS if is_classifier else None
    update_registered_converter(type(final), type(final).__name__, shapes, _converter(library), options=options)


def booster_writer(final: Any) -> Any:  # noqa: ANN401  # an estimator, a converter for skl2onnx or None
    """Return what writes a booster, its trees in double precision; ``None`` for other models."""
    from .double_precision import DoublePrecision  # noqa: PLC0415  # imports an extra

    library = library_of(final)
    if library not in ("xgboost", "lightgbm"):
        return None
    convert = _converter(library)
    is_single = library == "xgboost"
    n_per_iteration = _n_averaged(final)
    if n_per_iteration:
        final.boosting_type = "gbdt"  # its converter divides by 100, after the link; here by the number of iterations
    return lambda scope, operator, container: convert(
        scope,
        operator,
        DoublePrecision(scope, operator, container, is_single=is_single, n_per_iteration=n_per_iteration),
    )


def _n_averaged(final: Any) -> int | None:  # noqa: ANN401  # an estimator
    """Return how many trees are fitted at once where LightGBM averages over the times, as its rf mode does."""
    if library_of(final) != "lightgbm" or not final.booster_.dump_model(num_iteration=1).get("average_output"):
        return None
    return int(final.booster_.num_model_per_iteration())


def _converter(library: str) -> Any:  # noqa: ANN401  # a function of onnxmltools
    if library == "xgboost":
        from onnxmltools.convert.xgboost.operator_converters.XGBoost import convert_xgboost  # noqa: PLC0415  # an extra

        return convert_xgboost
    from onnxmltools.convert.lightgbm.operator_converters.LightGbm import convert_lightgbm  # noqa: PLC0415  # an extra

    return convert_lightgbm
