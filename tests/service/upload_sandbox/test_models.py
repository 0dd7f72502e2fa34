"""Real fitted models read by the child process."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from skl2onnx import to_onnx
from sklearn.datasets import load_breast_cancer
from sklearn.ensemble import RandomForestClassifier

from service.upload_sandbox.runner import UploadReader
from service.upload_sandbox.settings import UploadReaderSettings
from tree_explainers.ensemble import TreeEnsemble
from tree_explainers.errors import ModelRefused
from tree_explainers.onnx_models.description import DeclaredModel, ModelDescription, ModelLimits
from tree_explainers.onnx_models.engine_comparison import compare_engines
from tree_explainers.onnx_models.reading import read_model
from tree_explainers.onnx_models.session import ModelSession
from tree_explainers.onnx_models.walked_session import WalkedSession
from tree_explainers.rows import Rows

DATA = load_breast_cancer()
X = DATA.data.astype(np.float32)
FOREST = RandomForestClassifier(n_estimators=20, max_depth=5, random_state=0).fit(X, DATA.target)
NAMES = [str(name) for name in DATA.feature_names]


@pytest.fixture
def upload(tmp_path: Path) -> Path:
    path = tmp_path / "upload"
    path.write_bytes(to_onnx(FOREST, X[:1], options={"zipmap": False}).SerializeToString())
    return path


def _metadata(scores: np.ndarray[Any, Any]) -> dict[str, Any]:
    return {
        "name": "forest",
        "feature_names": NAMES,
        "classes": ["malignant", "benign"],
        "ensemble": "random_forest",
        "feature_groups": [],
        "parity": {"rows": X[:50].tolist(), "predictions": scores.tolist()},
    }


def test_a_forest_comes_back_as_description_arrays_and_graph(upload: Path) -> None:
    vetted = UploadReader(UploadReaderSettings()).read_model(upload, _metadata(FOREST.predict_proba(X[:50])))
    description = ModelDescription.from_json(vetted.description)
    assert description.classes == ("malignant", "benign")
    assert description.n_trees == 20
    assert vetted.parity is not None
    assert vetted.parity["n_rows"] == 50
    assert vetted.parity["max_difference"] < 1e-6
    with np.load(vetted.ensemble, allow_pickle=False) as archive:
        ensemble = TreeEnsemble.from_arrays(dict(archive))
    assert ensemble.n_nodes == sum(tree.tree_.node_count for tree in FOREST.estimators_)
    session = ModelSession(vetted.leaf_graph.read_bytes(), description)
    outcome = session.run(session.encode(Rows(tuple(NAMES), tuple(X.astype(np.float64).T))))
    np.testing.assert_allclose(outcome.scores, FOREST.predict_proba(X), atol=1e-6)


def test_the_child_compares_the_walker_with_onnxruntime_if_its_loops_are_compiled(
    upload: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    read = read_model(upload.read_bytes(), DeclaredModel(), ModelLimits())
    session = WalkedSession(lambda: read.leaf_graph, read.description, read.ensemble, read.for_walker)
    assert compare_engines(session, read.ensemble).name == "walker"  # and its loops are compiled
    metadata = _metadata(FOREST.predict_proba(X[:50]))

    compared = UploadReader(UploadReaderSettings()).read_model(upload, metadata).description["engine"]
    monkeypatch.setenv("NUMBA_CACHE_DIR", str(tmp_path / "empty"))
    not_compared = UploadReader(UploadReaderSettings()).read_model(upload, metadata).description["engine"]

    assert compared == {"name": "walker", "reason": None, "is_compared": True, "has_tail": False}
    assert (not_compared["name"], not_compared["is_compared"]) == ("onnxruntime", False)


def test_predictions_of_another_model_fail_parity(upload: Path) -> None:
    other = RandomForestClassifier(n_estimators=5, random_state=1).fit(X, DATA.target)
    with pytest.raises(ModelRefused) as caught:
        UploadReader(UploadReaderSettings()).read_model(upload, _metadata(other.predict_proba(X[:50])))
    assert caught.value.code == "model_parity_failed"


@pytest.mark.parametrize(
    ("parity", "code"),
    [
        ({"rows": [[1.0]], "predictions": [[0.5, 0.5]]}, "validation_failed"),
        ({"rows": X[:2].tolist(), "predictions": [[0.5, 0.5], [1.0]]}, "validation_failed"),
        ({"rows": X[:1].tolist(), "predictions": [[0.5, 0.5, 0.0]]}, "validation_failed"),
        ({"rows": [["many"] * 30], "predictions": [[0.5, 0.5]]}, "bad_feature_type"),
        ({"rows": [[1e39] * 30], "predictions": [[0.5, 0.5]]}, "non_finite_number"),
    ],
)
def test_parity_rows_that_do_not_fit_are_named(parity: dict[str, Any], code: str, upload: Path) -> None:
    metadata = {**_metadata(np.zeros((1, 2))), "parity": parity}
    with pytest.raises(ModelRefused, match="parity: ") as caught:
        UploadReader(UploadReaderSettings()).read_model(upload, metadata)
    assert caught.value.code == code


def test_missing_values_may_be_among_parity_rows(upload: Path) -> None:
    rows = X[:5].tolist()
    rows[0][0] = None
    expected = FOREST.predict_proba(np.array(rows, dtype=np.float32))
    metadata = {**_metadata(expected), "parity": {"rows": rows, "predictions": expected.tolist()}}
    assert UploadReader(UploadReaderSettings()).read_model(upload, metadata).parity is not None
