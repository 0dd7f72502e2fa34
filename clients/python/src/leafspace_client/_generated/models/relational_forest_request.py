from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, TypeVar, cast

from attrs import define as _attrs_define

from ...records import Record
from ..types import UNSET, Unset

if TYPE_CHECKING:
    from ..models.query_language import QueryLanguage


T = TypeVar("T", bound="RelationalForestRequest")


@_attrs_define(repr=False)
class RelationalForestRequest(Record):
    """Which relational dataset to learn trees from, and how.

    Attributes:
        relational_dataset (str): Id of the relational dataset.
        settings (str | Unset): `paper`: the fields that are left out have the values of the method's paper, as
            docs/methods.md lists them, instead of these defaults, fields of fields included; what is given, null included,
            stands, but for `method: auto`, which leaves the method to the word, too. Answers show the fields that result,
            so that the id is that of the same request in full. Absent: the defaults.
        method (str | Unset): `forf`: first-order random forest, each node of which tries a random share of the tests
            (Van Assche, Vens, Blockeel & Džeroski); `bagging`: trees on bootstrap samples, which try all tests; `tilde`:
            one tree on all labelled examples (Blockeel & De Raedt). Default: 'forf'.
        task (str | Unset): What the trees predict: `classification`, the target's labels; `regression`, the numbers of
            a numeric target, where tests reduce the variance, leaves hold means, and trees are not pruned. Absent:
            `regression` where the target holds more than 1,000 different numbers, else `classification`.
        n_trees (int | Unset): Number of trees; `tilde` makes one. Default: 33.
        test_share (float | Unset): Probability that a test, constants included, is tried at a node of `forf`; others
            try all. Default: 0.25.
        criterion (str | Unset): Score of a test: information gain, or gain divided by the entropy of the shares of its
            two sides; ignored in regression, where it is the reduction of variance. Default: 'gain'.
        min_samples_leaf (int | Unset): Minimum number of examples in a leaf; of a bootstrap sample, each as often as it
            was drawn. Default: 2.
        max_depth (int | None | Unset): Maximum number of tests on a path from the root to a leaf; null: 64.
        pruning (str | Unset): How trees are pruned: `c45`, by C4.5's estimate of errors; `none`: not at all, as always
            in regression. Default: 'c45'.
        aggregates (bool | Unset): Whether aggregates of rows (such as counts and means) are tested. Default: True.
        language (QueryLanguage | Unset): Which queries a forest's trees may use; everything that the schema allows by
            default.

            Columns of parents count as a row's own, up to three relationships away.
        seed (int | Unset): Seed of bootstrap samples and of the tests to try. Default: 0.
    """

    relational_dataset: str
    settings: str | Unset = UNSET
    method: str | Unset = "forf"
    task: str | Unset = UNSET
    n_trees: int | Unset = 33
    test_share: float | Unset = 0.25
    criterion: str | Unset = "gain"
    min_samples_leaf: int | Unset = 2
    max_depth: int | None | Unset = UNSET
    pruning: str | Unset = "c45"
    aggregates: bool | Unset = True
    language: QueryLanguage | Unset = UNSET
    seed: int | Unset = 0

    def to_dict(self) -> dict[str, Any]:
        relational_dataset = self.relational_dataset

        settings = self.settings

        method = self.method

        task = self.task

        n_trees = self.n_trees

        test_share = self.test_share

        criterion = self.criterion

        min_samples_leaf = self.min_samples_leaf

        max_depth: int | None | Unset
        if isinstance(self.max_depth, Unset):
            max_depth = UNSET
        else:
            max_depth = self.max_depth

        pruning = self.pruning

        aggregates = self.aggregates

        language: dict[str, Any] | Unset = UNSET
        if not isinstance(self.language, Unset):
            language = self.language.to_dict()

        seed = self.seed

        field_dict: dict[str, Any] = {}

        field_dict.update(
            {
                "relational_dataset": relational_dataset,
            }
        )
        if settings is not UNSET:
            field_dict["settings"] = settings
        if method is not UNSET:
            field_dict["method"] = method
        if task is not UNSET:
            field_dict["task"] = task
        if n_trees is not UNSET:
            field_dict["n_trees"] = n_trees
        if test_share is not UNSET:
            field_dict["test_share"] = test_share
        if criterion is not UNSET:
            field_dict["criterion"] = criterion
        if min_samples_leaf is not UNSET:
            field_dict["min_samples_leaf"] = min_samples_leaf
        if max_depth is not UNSET:
            field_dict["max_depth"] = max_depth
        if pruning is not UNSET:
            field_dict["pruning"] = pruning
        if aggregates is not UNSET:
            field_dict["aggregates"] = aggregates
        if language is not UNSET:
            field_dict["language"] = language
        if seed is not UNSET:
            field_dict["seed"] = seed

        return field_dict

    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        from ..models.query_language import QueryLanguage  # noqa: PLC0415

        d = dict(src_dict)
        relational_dataset = d.pop("relational_dataset")

        settings = d.pop("settings", UNSET)

        method = d.pop("method", UNSET)

        task = d.pop("task", UNSET)

        n_trees = d.pop("n_trees", UNSET)

        test_share = d.pop("test_share", UNSET)

        criterion = d.pop("criterion", UNSET)

        min_samples_leaf = d.pop("min_samples_leaf", UNSET)

        def _parse_max_depth(data: object) -> int | None | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            return cast(int | None | Unset, data)

        max_depth = _parse_max_depth(d.pop("max_depth", UNSET))

        pruning = d.pop("pruning", UNSET)

        aggregates = d.pop("aggregates", UNSET)

        _language = d.pop("language", UNSET)
        language: QueryLanguage | Unset
        if isinstance(_language, Unset):
            language = UNSET
        else:
            language = QueryLanguage.from_dict(_language)

        seed = d.pop("seed", UNSET)

        relational_forest_request = cls(
            relational_dataset=relational_dataset,
            settings=settings,
            method=method,
            task=task,
            n_trees=n_trees,
            test_share=test_share,
            criterion=criterion,
            min_samples_leaf=min_samples_leaf,
            max_depth=max_depth,
            pruning=pruning,
            aggregates=aggregates,
            language=language,
            seed=seed,
        )

        return relational_forest_request
