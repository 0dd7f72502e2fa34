"""Models: a fitted estimator becomes ONNX, with what is declared about it and rows that prove the conversion."""

import warnings
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ..errors import CannotConvert, Invalid, LeafspaceError, missing_extra
from ..labels import labels_by_text
from ..row_kinds import is_sparse
from .bags import bags_of
from .bare_boosters import as_estimator
from .decisions import decision_of
from .declared import NOTHING_DECLARED, Declared
from .estimators import (
    Library,
    ModelInputs,
    describe_inputs,
    ensemble_of,
    library_of,
    predicts_classes,
    predicts_labels_alone,
)
from .failures import conversion_failure
from .feature_names import check_names, names_as_texts
from .refusals import (
    refuse_by_name,
    refuse_linear_leaves,
    refuse_made_features,
    refuse_rows_without_columns,
    refuse_unfitted,
)
from .sparse_rows import with_zeros_missing
from .unread_columns import without_unread_columns
from .unwrapping import unwrapped

if TYPE_CHECKING:
    from .parity import Parity


# What reads the files that libraries write, by their endings; a pickle is loaded by the caller, never here.
_LOADED_BY = {
    **dict.fromkeys((".json", ".ubj"), "xgboost.Booster(model_file=…)"),
    ".txt": "lightgbm.Booster(model_file=…)",
    ".cbm": "catboost.CatBoostClassifier().load_model(…) or CatBoostRegressor",
    **dict.fromkeys((".pkl", ".pickle", ".joblib"), "joblib.load(…)"),
}


@dataclass(frozen=True, slots=True)
class ConvertedModel:
    """A model as it is sent."""

    onnx: bytes
    declared: Declared
    parity: "Parity | None"

    def metadata(self) -> dict[str, Any]:
        """Return what goes beside the file; what nobody knows is left out."""
        known = self.declared
        document: dict[str, Any] = {
            "name": known.name,
            "feature_names": None if known.feature_names is None else list(known.feature_names),
            "classes": None if known.classes is None else list(known.classes),
            "ensemble": known.ensemble,
            "feature_groups": list(known.feature_groups) or None,
            "parity": None if self.parity is None else self.parity.document(),
            "oracle_only": known.oracle_only or None,
            "finite_only": known.finite_only or None,
            "decision": known.decision,
            "bags": known.bags,
        }
        return {name: value for name, value in document.items() if value is not None}


def convert_model(
    model: Any,  # an estimator of any library, or ONNX
    rows: Any = None,  # a DataFrame or an array
    declared: Declared = NOTHING_DECLARED,
    *,
    parity: bool = True,
) -> ConvertedModel:
    """Return a fitted model, or ONNX, as it is sent.

    Parameters
    ----------
    model
        A fitted estimator of scikit-learn, XGBoost, LightGBM or CatBoost; or ONNX as bytes, path or ``ModelProto``.
    rows : (n_rows, n_features)
        Raw rows such as those that the model was fitted on: they give names and types of columns, and up to 100 of
        them go along with the library's own predictions.
    declared
        What to declare; the rest is taken from the model.
    parity
        Whether to send those rows, or where there are none, rows drawn from the model's own thresholds and categories;
        for ONNX there is no library that predicts.

    Raises
    ------
    CannotConvert
        Naming what in the model has no counterpart in ONNX, or what is lacking.
    MissingExtra
        Naming the command that installs the library that converts it.
    """
    data = onnx_bytes(model)
    declared = replace(declared, feature_names=names_as_texts(declared.feature_names))
    if data is not None:
        check_names(declared.feature_names)
        return ConvertedModel(data, _with_spelled_classes(declared), parity=None)
    if isinstance(model, type):
        detail = f"{model.__name__} is a class: register a fitted instance of it, {model.__name__}(…).fit(X, y)"
        raise CannotConvert("cannot_convert", detail)
    model = as_estimator(model)
    if is_sparse(rows):
        model = with_zeros_missing(model)
    estimator = unwrapped(model)
    refuse_by_name(estimator, oracle_only=declared.oracle_only)
    library = library_of(estimator)
    if library is None:
        raise CannotConvert("cannot_convert", _unknown(model))
    refuse_unfitted(estimator)
    refuse_made_features(estimator)
    refuse_linear_leaves(estimator, oracle_only=declared.oracle_only)
    refuse_rows_without_columns(estimator)
    inputs = describe_inputs(estimator, rows, declared.feature_names)
    converted, inputs = without_unread_columns(onnx_of(library, estimator, inputs), inputs)
    check_names(inputs.names)
    if predicts_labels_alone(estimator):
        from .oracles import with_votes  # imports an extra

        converted = with_votes(converted, estimator.classes_)
    from .infinite_rows import finite_rows, is_finite_only  # imports an extra

    completed = replace(_completed(declared, estimator, inputs), finite_only=is_finite_only(model, inputs))
    if completed.finite_only and inputs.rows is not None:
        inputs = replace(inputs, rows=finite_rows(inputs.rows))
    if not parity:
        return ConvertedModel(converted, completed, None)
    from .drawn_rows import drawn_rows  # imports an extra
    from .parity import parity_rows  # imports an extra

    is_caller = inputs.rows is not None
    with warnings.catch_warnings():  # of names that rows have and the estimator needs not, or the other way round
        warnings.simplefilter("ignore")
        if not is_caller:
            inputs = replace(inputs, rows=drawn_rows(model, estimator, inputs, converted))
        compared = parity_rows(estimator, inputs, converted, completed, outer=model, is_caller=is_caller)
    return ConvertedModel(converted, completed, compared)


def onnx_bytes(model: Any) -> bytes | None:  # anything
    """Return a model that is ONNX already as bytes, or ``None``."""
    if isinstance(model, bytes | bytearray | memoryview):
        return bytes(model)
    if isinstance(model, str | Path):
        return _file_bytes(Path(model))
    if hasattr(model, "SerializeToString") and hasattr(model, "graph"):
        data: bytes = model.SerializeToString()
        return data
    return None


def _file_bytes(path: Path) -> bytes:
    if path.suffix.lower() in _LOADED_BY:
        detail = f"{path.name} is no ONNX: load it, {_LOADED_BY[path.suffix.lower()]}, and register what that returns"
        raise Invalid("model_not_onnx", detail)
    try:
        return path.read_bytes()
    except OSError as error:
        raise Invalid("model_empty", f"cannot read {path}: {error.strerror}; give the path of an ONNX file") from error


def _completed(declared: Declared, estimator: Any, inputs: ModelInputs) -> Declared:  # an estimator
    classes = declared.classes if declared.classes is not None else getattr(estimator, "classes_", None)
    is_classifier = predicts_classes(estimator)
    completed = _with_spelled_classes(
        replace(
            declared,
            feature_names=inputs.names,
            classes=list(classes) if is_classifier and classes is not None and len(classes) else None,
            ensemble=declared.ensemble or (None if declared.oracle_only else ensemble_of(estimator)),
        )
    )
    decision = declared.decision or decision_of(estimator, completed.classes)
    return replace(completed, decision=decision, bags=None if declared.oracle_only else bags_of(estimator))


def _with_spelled_classes(declared: Declared) -> Declared:
    if declared.classes is None:
        return declared
    labels = labels_by_text(declared.classes)
    return replace(declared, classes=list(labels), labels=labels)


def _unknown(model: object) -> str:
    kind = type(model)
    held = next((name for name, part in _parts(model) if hasattr(part, "predict") and library_of(part)), None)
    instead = "" if held is None else f"register the model that it holds ({held}), if that alone predicts, or "
    return (
        f"{kind.__module__}.{kind.__qualname__} is no model of scikit-learn, XGBoost, LightGBM or CatBoost; {instead}"
        "write it as ONNX yourself and register the file"
    )


def _parts(model: object) -> list[tuple[str, Any]]:
    """Return what an object holds, by the expressions that a caller would write."""
    if isinstance(model, Mapping):
        return [(f"[{name!r}]", part) for name, part in model.items()]
    if isinstance(model, list | tuple):
        return [(f"[{at}]", part) for at, part in enumerate(model)]
    return [(f".{name}", part) for name, part in getattr(model, "__dict__", {}).items()]


def onnx_of(library: Library, estimator: Any, inputs: ModelInputs) -> bytes:  # an estimator
    """Return a fitted estimator as ONNX.

    Raises
    ------
    CannotConvert
        With what the converter says.
    MissingExtra
        If the converter is not installed.
    """
    try:
        from .native_models import native_model_onnx  # imports extras

        return native_model_onnx(estimator, inputs) or _sklearn(estimator, inputs)
    except LeafspaceError:
        raise
    except ImportError as error:
        purpose = f"converting {type(estimator).__name__}"
        raise missing_extra(error.name or str(error), library, purpose) from error
    except Exception as error:  # converters raise whatever they meet
        raise conversion_failure(estimator, error) from error


def _sklearn(estimator: Any, inputs: ModelInputs) -> bytes:  # an estimator
    from .scikit_learn import sklearn_onnx  # imports an extra

    return sklearn_onnx(estimator, inputs)
