from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeVar, cast

from attrs import define as _attrs_define

from ...records import Record
from ..types import UNSET, Unset

T = TypeVar("T", bound="RuleSetRequest")


@_attrs_define(repr=False)
class RuleSetRequest(Record):
    """Which model to describe by rules, and on which dataset.

    Attributes:
        model (str): Id of the model.
        dataset (str): Id of the reference dataset, which has every feature that the model reads.
        method (str | Unset): How regions are fitted. `fab`: factorised asymptotic Bayesian inference, which finds the
            number of regions up to `max_rules` (Hara & Hayashi); `em`: their baseline, plain EM for each number. Default:
            'fab'.
        search (str | Unset): How regions become rules. `improved`: the search looks for rules that predict well with
            few conditions, from fewer random starts; `plain`: the regions with the least training error, as in the paper,
            are ordered and shortened until they can be read. Default: 'improved'.
        max_rules (int | Unset): Maximum number of rules, including the default rule. Default: 10.
        n_restarts (int | Unset): Number of fits from random starts, of which the best is kept; `search: improved` makes
            fewer. Default: 20.
        labels (str | Unset): Source of the rows' classes or values: the model's predictions (`predicted`) or the
            dataset's target column (`target`). Default: 'predicted'.
        evaluation_dataset (None | str | Unset): Id of a dataset on which the result is evaluated instead of the
            reference dataset; null: on the reference dataset itself.
        seed (int | Unset): Seed of the random starts. Default: 0.
    """

    model: str
    dataset: str
    method: str | Unset = "fab"
    search: str | Unset = "improved"
    max_rules: int | Unset = 10
    n_restarts: int | Unset = 20
    labels: str | Unset = "predicted"
    evaluation_dataset: None | str | Unset = UNSET
    seed: int | Unset = 0

    def to_dict(self) -> dict[str, Any]:
        model = self.model

        dataset = self.dataset

        method = self.method

        search = self.search

        max_rules = self.max_rules

        n_restarts = self.n_restarts

        labels = self.labels

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
        if search is not UNSET:
            field_dict["search"] = search
        if max_rules is not UNSET:
            field_dict["max_rules"] = max_rules
        if n_restarts is not UNSET:
            field_dict["n_restarts"] = n_restarts
        if labels is not UNSET:
            field_dict["labels"] = labels
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

        search = d.pop("search", UNSET)

        max_rules = d.pop("max_rules", UNSET)

        n_restarts = d.pop("n_restarts", UNSET)

        labels = d.pop("labels", UNSET)

        def _parse_evaluation_dataset(data: object) -> None | str | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            return cast(None | str | Unset, data)

        evaluation_dataset = _parse_evaluation_dataset(d.pop("evaluation_dataset", UNSET))

        seed = d.pop("seed", UNSET)

        rule_set_request = cls(
            model=model,
            dataset=dataset,
            method=method,
            search=search,
            max_rules=max_rules,
            n_restarts=n_restarts,
            labels=labels,
            evaluation_dataset=evaluation_dataset,
            seed=seed,
        )

        return rule_set_request
