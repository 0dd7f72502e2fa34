"""What a node of a cluster reads: a model and rows, named by their objects, and kept open for the next partition."""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from storage.array_files import read_arrays
from storage.models import StoredModel
from storage.object_store import ObjectStore
from storage.remote_objects import open_objects
from tree_explainers.ensemble import TreeEnsemble
from tree_explainers.onnx_models.description import ModelDescription
from tree_explainers.onnx_models.session import ModelSession
from tree_explainers.onnx_models.walked_parts import WalkedParts
from tree_explainers.onnx_models.walked_session import WalkedSession

from ..cluster.identity import identity, refuse_others
from ..cluster.settings import NodeSettings


@dataclass(frozen=True, slots=True)
class ModelSource:
    """The objects that a model is opened from; a worker keeps it open for the next partition."""

    leaf_graph: str
    ensemble: str
    description: str  # as JSON

    @staticmethod
    def of(stored: StoredModel) -> "ModelSource":
        """Return the source of a registered model, whose engines have been compared."""
        return ModelSource(stored.leaf_graph, stored.ensemble, json.dumps(stored.description))


@dataclass(frozen=True, slots=True)
class RowsSource:
    """The file that rows are read from, and the column of each feature."""

    content: str
    columns: tuple[str, ...]


def check_node(expected: Mapping[str, str]) -> None:
    """Refuse to work where this node is not like the job's process, whose ``identity`` this is: it may have come late.

    Raises
    ------
    ClusterRefusal
        ``cluster_mismatch``, naming what differs.
    """
    refuse_others(expected, identity(), "a worker of the cluster")


@lru_cache(maxsize=1)
def node_objects() -> ObjectStore:
    """Return the objects that this node reads."""
    return open_objects(NodeSettings().storage)


@lru_cache(maxsize=2)
def open_on_node(model: ModelSource) -> tuple[ModelSession, NDArray[np.int32]]:
    """Return a model, open, and how many leaves each of its trees has."""
    objects = node_objects()
    description = ModelDescription.from_json(json.loads(model.description))
    arrays = read_arrays(objects.get(model.ensemble))
    ensemble = TreeEnsemble.from_arrays(arrays)
    if description.engine.name == "onnxruntime":
        return ModelSession(objects.get(model.leaf_graph), description, n_threads=1), ensemble.n_leaves
    session = WalkedSession(
        lambda: objects.get(model.leaf_graph), description, ensemble, WalkedParts.from_arrays(arrays)
    )
    return session, ensemble.n_leaves
