from __future__ import annotations

import datetime
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Literal, TypeVar, cast

from attrs import define as _attrs_define

from ...records import Record
from ..types import UNSET, Unset

if TYPE_CHECKING:
    from ..models.parity_result import ParityResult


T = TypeVar("T", bound="ModelSummary")


@_attrs_define(repr=False)
class ModelSummary(Record):
    """A registered model in a list: without anything that grows with its features, columns or classes.

    Attributes:
        id (str): Id of the model, derived from its file and metadata.
        name (None | str): Name from the metadata; null without one.
        sha256 (str): SHA-256 of the uploaded file, in hexadecimal.
        size_bytes (int): Size of the uploaded file in bytes.
        task (str): What the model predicts.
        ensemble (None | str): How the trees are combined: averaged (`random_forest`), summed (`boosting`), or
            otherwise; null if unknown.
        ensemble_inferred (bool): Whether `ensemble` was inferred from the graph rather than sent in the metadata.
        n_classes (int): Number of classes; 0 for regression.
        n_features (int): Number of features that callers send.
        n_trees (int): Number of trees.
        n_nodes (int): Number of nodes of all trees, leaves included.
        n_leaves (int): Number of leaves of all trees.
        max_depth (int): Number of splits on the longest path from a root to a leaf.
        parity (None | ParityResult): Comparison with the predictions of the caller's library; null if none were sent.
        created_at (datetime.datetime): Time of creation, in UTC (RFC 3339).
        classes (list[str] | None): Classes in the order of the scores; empty for regression. Null where there are more
            than 20 or their names have more than 1,000 characters in all: read the model itself for those.
        object_ (Literal['model'] | Unset): Type of this object. Default: 'model'.
        oracle_only (bool | Unset): Whether the model was registered for its predictions alone: numbers of trees, nodes
            and leaves are 0, and approximation trees are all that can be made of it. Default: False.
        finite_only (bool | Unset): Whether rows with an infinite number are refused, as the model's own library refuses
            them. Default: False.
        seconds_per_1000_rows (float | None | Unset): Seconds of processor time that predicting 1,000 rows took at
            registration; null unless `oracle_only`.
    """

    id: str
    name: None | str
    sha256: str
    size_bytes: int
    task: str
    ensemble: None | str
    ensemble_inferred: bool
    n_classes: int
    n_features: int
    n_trees: int
    n_nodes: int
    n_leaves: int
    max_depth: int
    parity: None | ParityResult
    created_at: datetime.datetime
    classes: list[str] | None
    object_: Literal["model"] | Unset = "model"
    oracle_only: bool | Unset = False
    finite_only: bool | Unset = False
    seconds_per_1000_rows: float | None | Unset = UNSET

    def to_dict(self) -> dict[str, Any]:
        from ..models.parity_result import ParityResult  # noqa: PLC0415

        id = self.id

        name: None | str
        name = self.name

        sha256 = self.sha256

        size_bytes = self.size_bytes

        task = self.task

        ensemble: None | str
        ensemble = self.ensemble

        ensemble_inferred = self.ensemble_inferred

        n_classes = self.n_classes

        n_features = self.n_features

        n_trees = self.n_trees

        n_nodes = self.n_nodes

        n_leaves = self.n_leaves

        max_depth = self.max_depth

        parity: dict[str, Any] | None
        if isinstance(self.parity, ParityResult):
            parity = self.parity.to_dict()
        else:
            parity = self.parity

        created_at = self.created_at.isoformat()

        classes: list[str] | None
        if isinstance(self.classes, list):
            classes = self.classes

        else:
            classes = self.classes

        object_ = self.object_

        oracle_only = self.oracle_only

        finite_only = self.finite_only

        seconds_per_1000_rows: float | None | Unset
        if isinstance(self.seconds_per_1000_rows, Unset):
            seconds_per_1000_rows = UNSET
        else:
            seconds_per_1000_rows = self.seconds_per_1000_rows

        field_dict: dict[str, Any] = {}

        field_dict.update(
            {
                "id": id,
                "name": name,
                "sha256": sha256,
                "size_bytes": size_bytes,
                "task": task,
                "ensemble": ensemble,
                "ensemble_inferred": ensemble_inferred,
                "n_classes": n_classes,
                "n_features": n_features,
                "n_trees": n_trees,
                "n_nodes": n_nodes,
                "n_leaves": n_leaves,
                "max_depth": max_depth,
                "parity": parity,
                "created_at": created_at,
                "classes": classes,
            }
        )
        if object_ is not UNSET:
            field_dict["object"] = object_
        if oracle_only is not UNSET:
            field_dict["oracle_only"] = oracle_only
        if finite_only is not UNSET:
            field_dict["finite_only"] = finite_only
        if seconds_per_1000_rows is not UNSET:
            field_dict["seconds_per_1000_rows"] = seconds_per_1000_rows

        return field_dict

    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        from ..models.parity_result import ParityResult  # noqa: PLC0415

        d = dict(src_dict)
        id = d.pop("id")

        def _parse_name(data: object) -> None | str:
            if data is None:
                return data
            return cast(None | str, data)

        name = _parse_name(d.pop("name"))

        sha256 = d.pop("sha256")

        size_bytes = d.pop("size_bytes")

        task = d.pop("task")

        def _parse_ensemble(data: object) -> None | str:
            if data is None:
                return data
            return cast(None | str, data)

        ensemble = _parse_ensemble(d.pop("ensemble"))

        ensemble_inferred = d.pop("ensemble_inferred")

        n_classes = d.pop("n_classes")

        n_features = d.pop("n_features")

        n_trees = d.pop("n_trees")

        n_nodes = d.pop("n_nodes")

        n_leaves = d.pop("n_leaves")

        max_depth = d.pop("max_depth")

        def _parse_parity(data: object) -> None | ParityResult:
            if data is None:
                return data
            try:
                if not isinstance(data, dict):
                    raise TypeError()
                parity_type_0 = ParityResult.from_dict(data)

                return parity_type_0
            except (TypeError, ValueError, AttributeError, KeyError):
                pass
            return cast(None | ParityResult, data)

        parity = _parse_parity(d.pop("parity"))

        created_at = datetime.datetime.fromisoformat(d.pop("created_at"))

        def _parse_classes(data: object) -> list[str] | None:
            if data is None:
                return data
            try:
                if not isinstance(data, list):
                    raise TypeError()
                classes_type_0 = cast(list[str], data)

                return classes_type_0
            except (TypeError, ValueError, AttributeError, KeyError):
                pass
            return cast(list[str] | None, data)

        classes = _parse_classes(d.pop("classes"))

        object_ = cast(Literal["model"] | Unset, d.pop("object", UNSET))
        if object_ != "model" and not isinstance(object_, Unset):
            raise ValueError(f"object must match const 'model', got '{object_}'")

        oracle_only = d.pop("oracle_only", UNSET)

        finite_only = d.pop("finite_only", UNSET)

        def _parse_seconds_per_1000_rows(data: object) -> float | None | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            return cast(float | None | Unset, data)

        seconds_per_1000_rows = _parse_seconds_per_1000_rows(d.pop("seconds_per_1000_rows", UNSET))

        model_summary = cls(
            id=id,
            name=name,
            sha256=sha256,
            size_bytes=size_bytes,
            task=task,
            ensemble=ensemble,
            ensemble_inferred=ensemble_inferred,
            n_classes=n_classes,
            n_features=n_features,
            n_trees=n_trees,
            n_nodes=n_nodes,
            n_leaves=n_leaves,
            max_depth=max_depth,
            parity=parity,
            created_at=created_at,
            classes=classes,
            object_=object_,
            oracle_only=oracle_only,
            finite_only=finite_only,
            seconds_per_1000_rows=seconds_per_1000_rows,
        )

        return model_summary
