from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, TypeVar, cast

from attrs import define as _attrs_define

from ...records import Record
from ..types import UNSET, Unset

if TYPE_CHECKING:
    from ..models.decision_tree_options import DecisionTreeOptions
    from ..models.in_trees_options import InTreesOptions
    from ..models.node_harvest_options import NodeHarvestOptions


T = TypeVar("T", bound="RuleSetRequest")


@_attrs_define(repr=False)
class RuleSetRequest(Record):
    """Which model to describe by rules, and on which dataset.

    Attributes:
        model (str): Id of the model.
        dataset (str): Id of the reference dataset, which has every feature that the model reads.
        settings (str | Unset): `paper`: the fields that are left out have the values of the method's paper, as
            docs/methods.md lists them, instead of these defaults, fields of fields included; what is given, null included,
            stands, but for `method: auto`, which leaves the method to the word, too. Answers show the fields that result,
            so that the id is that of the same request in full. Absent: the defaults.
        method (str | Unset): How rules are found. `rule_list`: a search for an ordered list of few and short rules that
            predict well; `fab`: factorised asymptotic Bayesian inference of regions, which finds their number up to
            `max_rules` (Hara & Hayashi), and prints their boxes; `em`: their baseline, EM for each number of regions.
            `in_trees`: paths of the model's trees, pruned, selected and put in order (Deng); `node_harvest`: nodes of the
            trees with weights, of which the weighted mean predicts (Meinshausen), for regression or two classes;
            `decision_tree`: a small tree on the dataset's rows, which knows nothing of the model's trees. The last three
            have settings of their own, but not `boxes`, `max_rules`, `n_restarts`, `start`, `omega`, `e_step_rounds` and
            `regions`. Of what a method does not have, any value but the default is refused. Default: 'rule_list'.
        boxes (str | Unset): How `fab` and `em` print the boxes of regions. `whole`: as in the paper, one rule for each
            region, without the conditions that exclude no row of the dataset; `shortened`: ordered, and without the
            conditions and rules that help least, until they can be read. `rule_list` has no boxes. Default: 'whole'.
        max_rules (int | Unset): Maximum number of rules, including the default rule; with `boxes: whole` the maximum
            number of regions, beside which there is the default rule. `in_trees`, `node_harvest` and `decision_tree` have
            settings of their own that limit it, and refuse any value but the default. Default: 10.
        n_restarts (int | Unset): Number of fits from random starts, of which the one with the least training error is
            kept; `rule_list` makes a tenth of them. Default: 120 with `fab`, otherwise 20.
        start (str | Unset): What fits of regions begin with. `responsibilities`: the shares of regions in rows are
            random, and parameters follow from them; `eta`: the shares of regions for which statements are true are random;
            `algorithm_1`: all parameters and the responsibilities are random, as in the paper; `in_turn`: restarts begin in
            these three ways, one after the other. Default: 'in_turn'.
        omega (float | None | Unset): Cost of a region in `fab`, in the paper half the number of its parameters: null. A
            smaller one leaves more regions. EM has none, and refuses it.
        e_step_rounds (int | str | Unset):
        regions (str | Unset): How the regions are fitted from which the search of `rule_list` begins. Default: 'fab'.
        in_trees (InTreesOptions | None | Unset): Settings of `in_trees`; null: the defaults. Other methods refuse them.
        node_harvest (NodeHarvestOptions | None | Unset): Settings of `node_harvest`; null: the defaults. Other methods
            refuse them.
        decision_tree (DecisionTreeOptions | None | Unset): Settings of `decision_tree`; null: the defaults. Other
            methods refuse them.
        labels (str | Unset): What rules predict, whatever the method is: the model's predictions (`predicted`) or the
            dataset's target column (`target`), as in the papers of all methods. Default: 'predicted'.
        evaluation_dataset (None | str | Unset): Id of a dataset on which the result is evaluated instead of the
            reference dataset; null: on the reference dataset itself.
        seed (int | Unset): Seed of the random starts, and of the forest by which `in_trees` selects rules. Default: 0.
        run_on (str | Unset): Where the job works on the rows: `local`, in the worker's own process; `cluster`, on the
            workers of a Dask cluster (LEAFSPACE_DASK_SCHEDULER); `auto`: on the cluster where one process would need more
            memory than a job may use, and else locally. The result is the same, and so is the id: answers always show
            `auto`. Default: 'auto'.
    """

    model: str
    dataset: str
    settings: str | Unset = UNSET
    method: str | Unset = "rule_list"
    boxes: str | Unset = "whole"
    max_rules: int | Unset = 10
    n_restarts: int | Unset = UNSET
    start: str | Unset = "in_turn"
    omega: float | None | Unset = UNSET
    e_step_rounds: int | str | Unset = UNSET
    regions: str | Unset = "fab"
    in_trees: InTreesOptions | None | Unset = UNSET
    node_harvest: NodeHarvestOptions | None | Unset = UNSET
    decision_tree: DecisionTreeOptions | None | Unset = UNSET
    labels: str | Unset = "predicted"
    evaluation_dataset: None | str | Unset = UNSET
    seed: int | Unset = 0
    run_on: str | Unset = "auto"

    def to_dict(self) -> dict[str, Any]:
        from ..models.decision_tree_options import DecisionTreeOptions  # noqa: PLC0415
        from ..models.in_trees_options import InTreesOptions  # noqa: PLC0415
        from ..models.node_harvest_options import NodeHarvestOptions  # noqa: PLC0415

        model = self.model

        dataset = self.dataset

        settings = self.settings

        method = self.method

        boxes = self.boxes

        max_rules = self.max_rules

        n_restarts = self.n_restarts

        start = self.start

        omega: float | None | Unset
        if isinstance(self.omega, Unset):
            omega = UNSET
        else:
            omega = self.omega

        e_step_rounds: int | str | Unset
        if isinstance(self.e_step_rounds, Unset):
            e_step_rounds = UNSET
        else:
            e_step_rounds = self.e_step_rounds

        regions = self.regions

        in_trees: dict[str, Any] | None | Unset
        if isinstance(self.in_trees, Unset):
            in_trees = UNSET
        elif isinstance(self.in_trees, InTreesOptions):
            in_trees = self.in_trees.to_dict()
        else:
            in_trees = self.in_trees

        node_harvest: dict[str, Any] | None | Unset
        if isinstance(self.node_harvest, Unset):
            node_harvest = UNSET
        elif isinstance(self.node_harvest, NodeHarvestOptions):
            node_harvest = self.node_harvest.to_dict()
        else:
            node_harvest = self.node_harvest

        decision_tree: dict[str, Any] | None | Unset
        if isinstance(self.decision_tree, Unset):
            decision_tree = UNSET
        elif isinstance(self.decision_tree, DecisionTreeOptions):
            decision_tree = self.decision_tree.to_dict()
        else:
            decision_tree = self.decision_tree

        labels = self.labels

        evaluation_dataset: None | str | Unset
        if isinstance(self.evaluation_dataset, Unset):
            evaluation_dataset = UNSET
        else:
            evaluation_dataset = self.evaluation_dataset

        seed = self.seed

        run_on = self.run_on

        field_dict: dict[str, Any] = {}

        field_dict.update(
            {
                "model": model,
                "dataset": dataset,
            }
        )
        if settings is not UNSET:
            field_dict["settings"] = settings
        if method is not UNSET:
            field_dict["method"] = method
        if boxes is not UNSET:
            field_dict["boxes"] = boxes
        if max_rules is not UNSET:
            field_dict["max_rules"] = max_rules
        if n_restarts is not UNSET:
            field_dict["n_restarts"] = n_restarts
        if start is not UNSET:
            field_dict["start"] = start
        if omega is not UNSET:
            field_dict["omega"] = omega
        if e_step_rounds is not UNSET:
            field_dict["e_step_rounds"] = e_step_rounds
        if regions is not UNSET:
            field_dict["regions"] = regions
        if in_trees is not UNSET:
            field_dict["in_trees"] = in_trees
        if node_harvest is not UNSET:
            field_dict["node_harvest"] = node_harvest
        if decision_tree is not UNSET:
            field_dict["decision_tree"] = decision_tree
        if labels is not UNSET:
            field_dict["labels"] = labels
        if evaluation_dataset is not UNSET:
            field_dict["evaluation_dataset"] = evaluation_dataset
        if seed is not UNSET:
            field_dict["seed"] = seed
        if run_on is not UNSET:
            field_dict["run_on"] = run_on

        return field_dict

    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        from ..models.decision_tree_options import DecisionTreeOptions  # noqa: PLC0415
        from ..models.in_trees_options import InTreesOptions  # noqa: PLC0415
        from ..models.node_harvest_options import NodeHarvestOptions  # noqa: PLC0415

        d = dict(src_dict)
        model = d.pop("model")

        dataset = d.pop("dataset")

        settings = d.pop("settings", UNSET)

        method = d.pop("method", UNSET)

        boxes = d.pop("boxes", UNSET)

        max_rules = d.pop("max_rules", UNSET)

        n_restarts = d.pop("n_restarts", UNSET)

        start = d.pop("start", UNSET)

        def _parse_omega(data: object) -> float | None | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            return cast(float | None | Unset, data)

        omega = _parse_omega(d.pop("omega", UNSET))

        def _parse_e_step_rounds(data: object) -> int | str | Unset:
            if isinstance(data, Unset):
                return data
            return cast(int | str | Unset, data)

        e_step_rounds = _parse_e_step_rounds(d.pop("e_step_rounds", UNSET))

        regions = d.pop("regions", UNSET)

        def _parse_in_trees(data: object) -> InTreesOptions | None | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            try:
                if not isinstance(data, dict):
                    raise TypeError()
                in_trees_type_0 = InTreesOptions.from_dict(data)

                return in_trees_type_0
            except (TypeError, ValueError, AttributeError, KeyError):
                pass
            return cast(InTreesOptions | None | Unset, data)

        in_trees = _parse_in_trees(d.pop("in_trees", UNSET))

        def _parse_node_harvest(data: object) -> NodeHarvestOptions | None | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            try:
                if not isinstance(data, dict):
                    raise TypeError()
                node_harvest_type_0 = NodeHarvestOptions.from_dict(data)

                return node_harvest_type_0
            except (TypeError, ValueError, AttributeError, KeyError):
                pass
            return cast(NodeHarvestOptions | None | Unset, data)

        node_harvest = _parse_node_harvest(d.pop("node_harvest", UNSET))

        def _parse_decision_tree(data: object) -> DecisionTreeOptions | None | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            try:
                if not isinstance(data, dict):
                    raise TypeError()
                decision_tree_type_0 = DecisionTreeOptions.from_dict(data)

                return decision_tree_type_0
            except (TypeError, ValueError, AttributeError, KeyError):
                pass
            return cast(DecisionTreeOptions | None | Unset, data)

        decision_tree = _parse_decision_tree(d.pop("decision_tree", UNSET))

        labels = d.pop("labels", UNSET)

        def _parse_evaluation_dataset(data: object) -> None | str | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            return cast(None | str | Unset, data)

        evaluation_dataset = _parse_evaluation_dataset(d.pop("evaluation_dataset", UNSET))

        seed = d.pop("seed", UNSET)

        run_on = d.pop("run_on", UNSET)

        rule_set_request = cls(
            model=model,
            dataset=dataset,
            settings=settings,
            method=method,
            boxes=boxes,
            max_rules=max_rules,
            n_restarts=n_restarts,
            start=start,
            omega=omega,
            e_step_rounds=e_step_rounds,
            regions=regions,
            in_trees=in_trees,
            node_harvest=node_harvest,
            decision_tree=decision_tree,
            labels=labels,
            evaluation_dataset=evaluation_dataset,
            seed=seed,
            run_on=run_on,
        )

        return rule_set_request
