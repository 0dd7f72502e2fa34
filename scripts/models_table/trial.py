"""The trial of a case: converted, read and compared as registering does, then all rows predicted both ways.

Rows come to the model as instances of the API, and as a dataset that the SDK writes and the service reads.
"""

import logging
import re
import tempfile
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from types import SimpleNamespace
from typing import Any, Literal, cast

import numpy as np
from leafspace_client.conversion.declared import Declared
from leafspace_client.conversion.models import convert_model
from leafspace_client.errors import LeafspaceError
from leafspace_client.labels import labels_by_text
from leafspace_client.rows import named_instances, sent
from leafspace_client.tables import TableNames, table_file
from numpy.typing import NDArray

from explanations.instances import Features, read_instances, run_readable
from schemas.datasets import Dataset
from schemas.models import Model
from service.upload_sandbox.model_task import compare_predictions
from storage.dataset_files import DatasetFile, DatasetLimits, DeclaredColumns, read_upload
from storage.errors import DatasetRefused, StorageError
from storage.feature_matching import match_features
from tree_explainers.errors import ExplainerError
from tree_explainers.onnx_models.derivation import derive_model
from tree_explainers.onnx_models.description import DeclaredModel, ModelLimits, column_types
from tree_explainers.onnx_models.session import ModelSession
from tree_explainers.rows import Rows

from .cases import Case, Data, Prediction
from .data import TABLES
from .library import predict_with

Verdict = Literal["right", "right, with a warning", "refused", "wrong", "raw"]
_REFUSALS = (LeafspaceError, ExplainerError, StorageError, DatasetRefused)
# Of messages that nobody wrote for callers: exceptions by their names, pointers into JSON, stacks of C++.
RAW_TEXT = re.compile(
    r"\b[A-Z]\w*(Error|Exception|Calculator)\b|Traceback|(^|\s)/\w+/\w+/\d|\.(cc|cpp|h|hpp|py):\d+|\[bt\]|0x[0-9a-f]{6}"
)
_ABSOLUTE, _RELATIVE = 1e-4, 1e-5
_TIE = 1e-6  # between the library's two best scores


@dataclass(frozen=True, slots=True)
class Outcome:
    """What happened with a case."""

    verdict: Verdict
    words: str = ""

    def __str__(self) -> str:
        return f"{self.verdict}: {self.words}" if self.words else self.verdict


@dataclass
class _Difference(Exception):  # it is the result of a comparison
    """Rows whose prediction is not the library's."""

    words: str


@dataclass(frozen=True, slots=True)
class FittedCase:
    """A case whose model is fitted, with what the library predicts for its rows."""

    case: Case
    model: Any
    data: Data
    rows: Any  # as they are registered and sent
    truth: Prediction | None  # None: the library itself has none, and it must be refused


def fitted(case: Case) -> FittedCase:
    """Fit a case's model and let the library predict."""
    data = TABLES[case.data]()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        estimator = case.estimator()
        model = (
            estimator.fit(data.rows, data.target) if case.fit is None else case.fit(estimator, data.rows, data.target)
        )
        rows = data.rows if case.rows is None else case.rows(data.rows)
        truth = (case.predict or predict_with)(model, rows)
    return FittedCase(case, model, data, rows, truth)


def tried(of: FittedCase, *, with_rows: bool) -> Outcome:
    """Return what happens when a model is registered with its rows, or with the names of its features alone."""
    with _collected_warnings() as noted:
        try:
            session = _registered(of, with_rows=with_rows)
            noted += [warning.detail for warning in session.description.warnings]
            _compare(of, session, _by_instances(of, session))
            _compare(of, session, _by_dataset(of, session))
        except _REFUSALS as refusal:
            return _refused(refusal)
        except _Difference as difference:
            return Outcome("wrong", difference.words)
        except Exception as error:  # noqa: BLE001  # which is what is looked for
            return Outcome("raw", f"{type(error).__name__}: {error}"[:300])
    if noted:
        return Outcome("right, with a warning", first_sentence(noted[0]))
    return Outcome("right")


def _refused(refusal: Exception) -> Outcome:
    detail = str(getattr(refusal, "detail", refusal))
    return Outcome("raw" if RAW_TEXT.search(detail) else "refused", first_sentence(detail))


def first_sentence(text: str) -> str:
    """Return the first sentence of a text, on one line."""
    line = " ".join(text.split())
    return re.split(r"(?<=[a-z0-9)'\"])\. (?=[A-Z])", line)[0].removesuffix(".")


@contextmanager
def _collected_warnings() -> Iterator[list[str]]:
    """Yield the list to which the SDK's warnings go."""
    noted: list[str] = []

    class Collector(logging.Handler):
        def emit(self, record: logging.LogRecord) -> None:
            noted.append(record.getMessage())

    logger, collector = logging.getLogger("leafspace_client"), Collector(logging.WARNING)
    logger.addHandler(collector)
    propagates, logger.propagate = logger.propagate, False
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("ignore")
        warnings.filterwarnings("always", module="leafspace_client")
        try:
            yield noted
        finally:
            logger.removeHandler(collector)
            logger.propagate = propagates
            noted += [str(each.message) for each in caught if "leafspace_client" in each.filename]


def _registered(of: FittedCase, *, with_rows: bool) -> ModelSession:
    """Return the model as the service has it once it is registered."""
    options = dict(of.case.options)
    if not with_rows:
        options["feature_names"] = _names_to_declare(of)
    converted = convert_model(of.model, of.rows if with_rows else None, Declared(**options))
    metadata = converted.metadata()
    declared = DeclaredModel(
        feature_names=_tuple(metadata.get("feature_names")),
        classes=_tuple(metadata.get("classes")),
        ensemble=metadata.get("ensemble"),
        oracle_only=metadata.get("oracle_only", False),
        finite_only=metadata.get("finite_only", False),
    )
    derived = derive_model(converted.onnx, declared, ModelLimits())
    compare_predictions(derived.session, metadata.get("parity"))
    return derived.session


def _names_to_declare(of: FittedCase) -> list[str] | None:
    """Return the names of a frame's columns, unless the model knows them."""
    columns = getattr(of.rows, "columns", None)
    names = None if columns is None else [str(name) for name in columns]
    return None if names is None or set(names) >= set(getattr(of.model, "feature_names_in_", ["\0"])) else names


def _tuple(names: Any) -> tuple[str, ...] | None:  # a list or None
    return None if names is None else tuple(names)


Predicted = tuple[NDArray[np.floating[Any]], NDArray[np.int64] | None]


def _by_instances(of: FittedCase, session: ModelSession) -> Predicted:
    """Return what is predicted for rows that are sent."""
    description = session.description
    instances = sent(named_instances(of.rows)[0])
    types = cast("tuple[Literal['number', 'category'], ...]", _feature_types(session))
    features = Features(description.feature_names, types, "category" not in types)
    outcome, _, refused = run_readable(session, read_instances(instances, features))
    if refused:
        raise next(iter(refused.values()))
    return outcome.scores, outcome.labels


def _by_dataset(of: FittedCase, session: ModelSession) -> Predicted:
    """Return what is predicted for rows of a dataset."""
    description = session.description
    with tempfile.TemporaryDirectory() as folder:
        file, names = table_file(
            (of.rows, of.data.target if _is_flat(of.data.target) else _first(of)), TableNames(None, None, None)
        )
        path, content = Path(folder) / "upload", Path(folder) / "content"
        path.write_bytes(file.content.read())
        declared = DeclaredColumns(names.target, names.row_id)
        read = read_upload(path, file.media_type, declared, DatasetLimits(), content)
        dataset = SimpleNamespace(id="the dataset", columns=read.columns, n_rows=read.n_rows)
        model = SimpleNamespace(
            id="the model",
            feature_names=list(description.feature_names),
            feature_types=_feature_types(session),
            n_features=len(description.feature_names),
            finite_only=description.finite_only,
        )
        matched = match_features(cast("Model", model), cast("Dataset", dataset))
        with DatasetFile(content) as opened:
            columns = opened.read_columns(matched)
    outcome = session.run_in_chunks(Rows(description.feature_names, tuple(columns)))
    return outcome.scores, outcome.labels


def _is_flat(target: Any) -> bool:  # an array, a Series
    return getattr(target, "ndim", 1) == 1


def _first(of: FittedCase) -> Any:  # an array
    return np.asarray(of.data.target)[:, 0]


def _feature_types(session: ModelSession) -> list[str]:
    return ["category" if kind == "string" else "number" for kind in column_types(session.description.inputs)]


def _compare(of: FittedCase, session: ModelSession, predicted: Predicted) -> None:
    """Raise ``_Difference`` where a row's label, scores or value are not the library's."""
    scores, labels = predicted
    truth = of.truth
    if truth is None:
        msg = "registered, though the library itself has no prediction"
        raise _Difference(msg)
    if truth.scores is not None:
        _compare_scores(np.asarray(truth.scores), scores)
    if truth.labels is None:
        if labels is not None:
            msg = "a regression has become a classification"
            raise _Difference(msg)
        return
    if labels is None:
        msg = "a classification has become a regression"
        raise _Difference(msg)
    texts = {label: text for text, label in labels_by_text(truth.labels).items()}
    ours = [session.description.classes[label] for label in labels.tolist()]
    differs = np.array(
        [mine != texts.get(theirs, str(theirs)) for mine, theirs in zip(ours, truth.labels, strict=True)]
    )
    if truth.scores is not None and not of.case.ties and truth.scores.shape[1] > 1:
        best = np.sort(truth.scores, axis=1)
        differs &= best[:, -1] - best[:, -2] > _TIE
    if differs.any():
        row = int(np.argmax(differs))
        msg = f"{differs.sum()} of {len(ours)} labels differ; row {row}: {ours[row]!r} for {truth.labels[row]!r}"
        raise _Difference(msg)


def _compare_scores(theirs: NDArray[np.float64], ours: NDArray[np.floating[Any]]) -> None:
    if theirs.shape != ours.shape:
        msg = f"scores of shape {ours.shape} for {theirs.shape}"
        raise _Difference(msg)
    differs = (np.abs(theirs - ours) > _ABSOLUTE + _RELATIVE * np.abs(theirs)).any(axis=1)
    if differs.any():
        row = int(np.argmax(differs))
        some = f"{np.round(ours[row, :4].astype(float), 4).tolist()} for {np.round(theirs[row, :4], 4).tolist()}"
        msg = f"scores of {differs.sum()} of {len(theirs)} rows differ; row {row}: {some}"
        raise _Difference(msg)
