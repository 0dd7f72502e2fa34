from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeVar, cast

from attrs import define as _attrs_define

from ...records import Record
from ..types import UNSET, Unset

T = TypeVar("T", bound="PrototypeSetRequest")


@_attrs_define(repr=False)
class PrototypeSetRequest(Record):
    """What to select, from which rows, as which model sees them.

    Attributes:
        model (str):
        dataset (str):
        method (str | Unset): sm_u, sm_a, sm_wa, sg: Tan et al.; a_pete: Karolczak & Stefanowski, which stops by itself.
            Default: 'sm_a'.
        n_prototypes (int | None | Unset): Default 10; not with a_pete, which finds the number by `alpha`.
        alpha (float | Unset): a_pete stops when gains change by no more than this share; other methods have no use for
            it. Default: 0.05.
        labels (str | Unset): Classes as the model predicts them, or as the dataset's target has them. Default:
            'predicted'.
        kind (str | Unset):  Default: 'auto'.
        refine (str | Unset): swap: when prototypes are chosen, they are replaced by other candidates, one at a time,
            until no single replacement raises the method's objective (sm_u: by candidates of their own class); where better
            ones are not ruled out, up to three other starts are tried, too. Not with sg. Default: 'none'.
        candidates (int | None | Unset): Rows that may become prototypes: so many, drawn with `seed`, at least one of
            each class; all rows are to be stood for all the same. Null: all rows, but 10,000 where rows x rows x trees are
            more than 5 x 10^12 (150,000 rows x 200 trees). `n_candidates` of the result says how many they were.
        evaluation_dataset (None | str | Unset):
        seed (int | Unset): Draws the candidates, and the rows for the nearest-neighbour baseline, where not all are
            taken. Default: 0.
    """

    model: str
    dataset: str
    method: str | Unset = "sm_a"
    n_prototypes: int | None | Unset = UNSET
    alpha: float | Unset = 0.05
    labels: str | Unset = "predicted"
    kind: str | Unset = "auto"
    refine: str | Unset = "none"
    candidates: int | None | Unset = UNSET
    evaluation_dataset: None | str | Unset = UNSET
    seed: int | Unset = 0

    def to_dict(self) -> dict[str, Any]:
        model = self.model

        dataset = self.dataset

        method = self.method

        n_prototypes: int | None | Unset
        if isinstance(self.n_prototypes, Unset):
            n_prototypes = UNSET
        else:
            n_prototypes = self.n_prototypes

        alpha = self.alpha

        labels = self.labels

        kind = self.kind

        refine = self.refine

        candidates: int | None | Unset
        if isinstance(self.candidates, Unset):
            candidates = UNSET
        else:
            candidates = self.candidates

        evaluation_dataset: None | str | Unset
        if isinstance(self.evaluation_dataset, Unset):
            evaluation_dataset = UNSET
        else:
            evaluation_dataset = self.evaluation_dataset

        seed = self.seed

        field_dict: dict[str, Any] = {}

        field_dict.update(
            {
                "model": model,
                "dataset": dataset,
            }
        )
        if method is not UNSET:
            field_dict["method"] = method
        if n_prototypes is not UNSET:
            field_dict["n_prototypes"] = n_prototypes
        if alpha is not UNSET:
            field_dict["alpha"] = alpha
        if labels is not UNSET:
            field_dict["labels"] = labels
        if kind is not UNSET:
            field_dict["kind"] = kind
        if refine is not UNSET:
            field_dict["refine"] = refine
        if candidates is not UNSET:
            field_dict["candidates"] = candidates
        if evaluation_dataset is not UNSET:
            field_dict["evaluation_dataset"] = evaluation_dataset
        if seed is not UNSET:
            field_dict["seed"] = seed

        return field_dict

    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        d = dict(src_dict)
        model = d.pop("model")

        dataset = d.pop("dataset")

        method = d.pop("method", UNSET)

        def _parse_n_prototypes(data: object) -> int | None | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            return cast(int | None | Unset, data)

        n_prototypes = _parse_n_prototypes(d.pop("n_prototypes", UNSET))

        alpha = d.pop("alpha", UNSET)

        labels = d.pop("labels", UNSET)

        kind = d.pop("kind", UNSET)

        refine = d.pop("refine", UNSET)

        def _parse_candidates(data: object) -> int | None | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            return cast(int | None | Unset, data)

        candidates = _parse_candidates(d.pop("candidates", UNSET))

        def _parse_evaluation_dataset(data: object) -> None | str | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            return cast(None | str | Unset, data)

        evaluation_dataset = _parse_evaluation_dataset(d.pop("evaluation_dataset", UNSET))

        seed = d.pop("seed", UNSET)

        prototype_set_request = cls(
            model=model,
            dataset=dataset,
            method=method,
            n_prototypes=n_prototypes,
            alpha=alpha,
            labels=labels,
            kind=kind,
            refine=refine,
            candidates=candidates,
            evaluation_dataset=evaluation_dataset,
            seed=seed,
        )

        return prototype_set_request
