from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, TypeVar, cast

from attrs import define as _attrs_define

from ...records import Record
from ..types import UNSET, Unset

if TYPE_CHECKING:
    from ..models.bootstrap_generator import BootstrapGenerator
    from ..models.candidate_splits import CandidateSplits
    from ..models.dataset_generator import DatasetGenerator
    from ..models.kernel_generator import KernelGenerator
    from ..models.ranks_generator import RanksGenerator
    from ..models.residual_permutation_generator import ResidualPermutationGenerator


T = TypeVar("T", bound="ApproximationTreeRequest")


@_attrs_define(repr=False)
class ApproximationTreeRequest(Record):
    """Which model to approximate by one tree, and on which dataset.

    Attributes:
        model (str): Id of the model.
        dataset (str): Id of the reference dataset, which has every feature that the model reads.
        settings (str | Unset): `paper`: the fields that are left out have the values of the method's paper, as
            docs/methods.md lists them, instead of these defaults, fields of fields included; what is given, null included,
            stands, but for `method: auto`, which leaves the method to the word, too. Answers show the fields that result,
            so that the id is that of the same request in full. Absent: the defaults.
        method (str | Unset): How splits are chosen. `auto`: `ism` for classes where the dataset has a feature set, else
            `sta`, and the answer names it. `sta`: by a test on as many pseudo-samples as it needs (Zhou & Hooker); `ism`:
            among the ensemble's own splits, from its class distributions (Van Assche & Blockeel); `born_again`: CART on
            pseudo-samples, its depth by cross-validation (Breiman & Shang); `cart`: CART on pseudo-samples, or on the
            dataset's rows (`fitted_on`). Default: 'auto'.
        max_depth (int | str | Unset):
        max_leaves (int | None | Unset): Maximum number of leaves; the nodes that improve most are split first. With
            `choose_by: fidelity` (`sta`, and `ism` with pseudo-samples), up to three times as many are grown, and the most
            faithful ones stay. Null: as many as the depth allows, up to 1,024.
        min_samples_leaf (int | Unset): Minimum number of the dataset's rows in each leaf (`sta`, `ism`). `born_again`
            and `cart` require the same share of pseudo-samples instead, so that a leaf may have fewer of the dataset's
            rows; `ism` of all rows, if it draws some. Of a dataset that is sampled (`n_sampled_rows`), leaves have the same
            share of the sample, and one of its rows at least. Default: 5.
        significance (float | Unset): Significance level of `sta`: pseudo-samples are added until the p-values of the
            other candidate splits sum to at most this. Other methods refuse any value but the default. Default: 0.1.
        max_pseudo_samples (int | Unset): Maximum number of pseudo-samples of one node (`sta`), or the number of those
            of the whole tree (`born_again`, `cart`, `ism`). Default: 100000.
        generator (BootstrapGenerator | DatasetGenerator | KernelGenerator | RanksGenerator |
            ResidualPermutationGenerator | Unset):
        fitted_on (str | Unset): What `cart` and `ism` are fitted to. `dataset`: the dataset's rows, with the labels or
            values that the model predicts for them (`ism`: as in the paper). `generator`: pseudo-samples (`cart`), or the
            dataset's rows and pseudo-samples together (`ism`). `auto`: `generator`, but `dataset` for `ism` where the
            dataset has a feature set. Other methods take `auto` or `generator`. Default: 'auto'.
        choose_by (str | Unset): How `sta` chooses among splits that its test cannot separate within
            `max_pseudo_samples`: by their gain (Zhou & Hooker), or by the fidelity of trees grown below each of them,
            unless none is clearly ahead. And which leaves stay where `max_leaves` is set, of `ism`, too, if pseudo-samples
            join the rows: those of the splits that gain most, or the most faithful ones of a larger tree. Other methods
            refuse any value but the default. Default: 'fidelity'.
        candidates (list[CandidateSplits] | None | Unset): Features that `sta` may split on, each with its own
            thresholds or categories, or those that the dataset suggests. Null: all features, with what the dataset
            suggests. Other methods refuse it.
        compare (str | Unset): Candidate splits whose p-values `sta` sums: all others, or the second best alone. Other
            methods refuse any value but the default. Default: 'all'.
        significance_level_of (str | Unset): What `significance` is the level of: each split (`node`), or all splits of
            the tree together, of which each one gets an equal part (`tree`, Bonferroni). Methods other than `sta` refuse
            any value but the default. Default: 'node'.
        criterion (str | Unset): What `ism` maximises for classes: information gain, or its ratio to the entropy of the
            shares of rows on both sides (Quinlan). For values it is the decrease of variance, and the ratio is refused.
            Other methods refuse any value but the default. Default: 'gain'.
        leaf_probabilities (str | Unset): How `ism` estimates the probability that a row of a node reaches a leaf of the
            ensemble: by the node's rows, or as if the splits on the way to the leaf were independent of the node's, as far
            as these leave them open. The latter is for random forests, and refused for boosting and for values; it takes
            time by splits x nodes of the ensemble. Other methods refuse any value but the default. Default: 'rows'.
        smearing_probability (float | Unset): Probability that `born_again` replaces a value by that of another row.
            Other methods refuse any value but the default. Default: 0.25.
        n_repeats (int | Unset): Number of trees that are made from different pseudo-samples to measure stability; the
            first one is the result. More than 1 is refused where there are none (`fitted_on: dataset`). Default: 1.
        stop_when_pure (bool | Unset): Whether `ism` leaves a node unsplit whose rows all have one class in the
            dataset's target. For classes and datasets with a target: true is refused elsewhere, and `settings: paper`
            leaves it false. Default: False.
        evaluation_dataset (None | str | Unset): Id of a dataset on which the result is evaluated instead of the
            reference dataset; null: on the reference dataset itself.
        seed (int | Unset): Seed of the pseudo-samples, of a sample of rows, and with `cart` and `born_again` of the
            choice among splits that improve alike. Default: 0.
        run_on (str | Unset): Where the job works on the rows: `local`, in the worker's own process; `cluster`, on the
            workers of a Dask cluster (LEAFSPACE_DASK_SCHEDULER); `auto`: on the cluster where one process would need more
            memory than a job may use, and else locally. The result is the same, and so is the id: answers always show
            `auto`. Default: 'auto'.
    """

    model: str
    dataset: str
    settings: str | Unset = UNSET
    method: str | Unset = "auto"
    max_depth: int | str | Unset = UNSET
    max_leaves: int | None | Unset = UNSET
    min_samples_leaf: int | Unset = 5
    significance: float | Unset = 0.1
    max_pseudo_samples: int | Unset = 100000
    generator: (
        BootstrapGenerator | DatasetGenerator | KernelGenerator | RanksGenerator | ResidualPermutationGenerator | Unset
    ) = UNSET
    fitted_on: str | Unset = "auto"
    choose_by: str | Unset = "fidelity"
    candidates: list[CandidateSplits] | None | Unset = UNSET
    compare: str | Unset = "all"
    significance_level_of: str | Unset = "node"
    criterion: str | Unset = "gain"
    leaf_probabilities: str | Unset = "rows"
    smearing_probability: float | Unset = 0.25
    n_repeats: int | Unset = 1
    stop_when_pure: bool | Unset = False
    evaluation_dataset: None | str | Unset = UNSET
    seed: int | Unset = 0
    run_on: str | Unset = "auto"

    def to_dict(self) -> dict[str, Any]:
        from ..models.dataset_generator import DatasetGenerator  # noqa: PLC0415
        from ..models.kernel_generator import KernelGenerator  # noqa: PLC0415
        from ..models.ranks_generator import RanksGenerator  # noqa: PLC0415
        from ..models.residual_permutation_generator import ResidualPermutationGenerator  # noqa: PLC0415

        model = self.model

        dataset = self.dataset

        settings = self.settings

        method = self.method

        max_depth: int | str | Unset
        if isinstance(self.max_depth, Unset):
            max_depth = UNSET
        else:
            max_depth = self.max_depth

        max_leaves: int | None | Unset
        if isinstance(self.max_leaves, Unset):
            max_leaves = UNSET
        else:
            max_leaves = self.max_leaves

        min_samples_leaf = self.min_samples_leaf

        significance = self.significance

        max_pseudo_samples = self.max_pseudo_samples

        generator: dict[str, Any] | Unset
        if isinstance(self.generator, Unset):
            generator = UNSET
        elif isinstance(self.generator, DatasetGenerator):
            generator = self.generator.to_dict()
        elif isinstance(self.generator, RanksGenerator):
            generator = self.generator.to_dict()
        elif isinstance(self.generator, KernelGenerator):
            generator = self.generator.to_dict()
        elif isinstance(self.generator, ResidualPermutationGenerator):
            generator = self.generator.to_dict()
        else:
            generator = self.generator.to_dict()

        fitted_on = self.fitted_on

        choose_by = self.choose_by

        candidates: list[dict[str, Any]] | None | Unset
        if isinstance(self.candidates, Unset):
            candidates = UNSET
        elif isinstance(self.candidates, list):
            candidates = []
            for candidates_type_0_item_data in self.candidates:
                candidates_type_0_item = candidates_type_0_item_data.to_dict()
                candidates.append(candidates_type_0_item)

        else:
            candidates = self.candidates

        compare = self.compare

        significance_level_of = self.significance_level_of

        criterion = self.criterion

        leaf_probabilities = self.leaf_probabilities

        smearing_probability = self.smearing_probability

        n_repeats = self.n_repeats

        stop_when_pure = self.stop_when_pure

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
        if max_depth is not UNSET:
            field_dict["max_depth"] = max_depth
        if max_leaves is not UNSET:
            field_dict["max_leaves"] = max_leaves
        if min_samples_leaf is not UNSET:
            field_dict["min_samples_leaf"] = min_samples_leaf
        if significance is not UNSET:
            field_dict["significance"] = significance
        if max_pseudo_samples is not UNSET:
            field_dict["max_pseudo_samples"] = max_pseudo_samples
        if generator is not UNSET:
            field_dict["generator"] = generator
        if fitted_on is not UNSET:
            field_dict["fitted_on"] = fitted_on
        if choose_by is not UNSET:
            field_dict["choose_by"] = choose_by
        if candidates is not UNSET:
            field_dict["candidates"] = candidates
        if compare is not UNSET:
            field_dict["compare"] = compare
        if significance_level_of is not UNSET:
            field_dict["significance_level_of"] = significance_level_of
        if criterion is not UNSET:
            field_dict["criterion"] = criterion
        if leaf_probabilities is not UNSET:
            field_dict["leaf_probabilities"] = leaf_probabilities
        if smearing_probability is not UNSET:
            field_dict["smearing_probability"] = smearing_probability
        if n_repeats is not UNSET:
            field_dict["n_repeats"] = n_repeats
        if stop_when_pure is not UNSET:
            field_dict["stop_when_pure"] = stop_when_pure
        if evaluation_dataset is not UNSET:
            field_dict["evaluation_dataset"] = evaluation_dataset
        if seed is not UNSET:
            field_dict["seed"] = seed
        if run_on is not UNSET:
            field_dict["run_on"] = run_on

        return field_dict

    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        from ..models.bootstrap_generator import BootstrapGenerator  # noqa: PLC0415
        from ..models.candidate_splits import CandidateSplits  # noqa: PLC0415
        from ..models.dataset_generator import DatasetGenerator  # noqa: PLC0415
        from ..models.kernel_generator import KernelGenerator  # noqa: PLC0415
        from ..models.ranks_generator import RanksGenerator  # noqa: PLC0415
        from ..models.residual_permutation_generator import ResidualPermutationGenerator  # noqa: PLC0415

        d = dict(src_dict)
        model = d.pop("model")

        dataset = d.pop("dataset")

        settings = d.pop("settings", UNSET)

        method = d.pop("method", UNSET)

        def _parse_max_depth(data: object) -> int | str | Unset:
            if isinstance(data, Unset):
                return data
            return cast(int | str | Unset, data)

        max_depth = _parse_max_depth(d.pop("max_depth", UNSET))

        def _parse_max_leaves(data: object) -> int | None | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            return cast(int | None | Unset, data)

        max_leaves = _parse_max_leaves(d.pop("max_leaves", UNSET))

        min_samples_leaf = d.pop("min_samples_leaf", UNSET)

        significance = d.pop("significance", UNSET)

        max_pseudo_samples = d.pop("max_pseudo_samples", UNSET)

        def _parse_generator(
            data: object,
        ) -> (
            BootstrapGenerator
            | DatasetGenerator
            | KernelGenerator
            | RanksGenerator
            | ResidualPermutationGenerator
            | Unset
        ):
            if isinstance(data, Unset):
                return data
            try:
                if not isinstance(data, dict) or data.get("method") != "dataset":
                    raise TypeError()
                componentsschemas_generator_type_0 = DatasetGenerator.from_dict(data)

                return componentsschemas_generator_type_0
            except (TypeError, ValueError, AttributeError, KeyError):
                pass
            try:
                if not isinstance(data, dict) or data.get("method") != "ranks":
                    raise TypeError()
                componentsschemas_generator_type_1 = RanksGenerator.from_dict(data)

                return componentsschemas_generator_type_1
            except (TypeError, ValueError, AttributeError, KeyError):
                pass
            try:
                if not isinstance(data, dict) or data.get("method") != "kernel":
                    raise TypeError()
                componentsschemas_generator_type_2 = KernelGenerator.from_dict(data)

                return componentsschemas_generator_type_2
            except (TypeError, ValueError, AttributeError, KeyError):
                pass
            try:
                if not isinstance(data, dict) or data.get("method") != "residual_permutation":
                    raise TypeError()
                componentsschemas_generator_type_3 = ResidualPermutationGenerator.from_dict(data)

                return componentsschemas_generator_type_3
            except (TypeError, ValueError, AttributeError, KeyError):
                pass
            if not isinstance(data, dict):
                raise TypeError()
            componentsschemas_generator_type_4 = BootstrapGenerator.from_dict(data)

            return componentsschemas_generator_type_4

        generator = _parse_generator(d.pop("generator", UNSET))

        fitted_on = d.pop("fitted_on", UNSET)

        choose_by = d.pop("choose_by", UNSET)

        def _parse_candidates(data: object) -> list[CandidateSplits] | None | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            try:
                if not isinstance(data, list):
                    raise TypeError()
                candidates_type_0 = []
                _candidates_type_0 = data
                for candidates_type_0_item_data in _candidates_type_0:
                    candidates_type_0_item = CandidateSplits.from_dict(candidates_type_0_item_data)

                    candidates_type_0.append(candidates_type_0_item)

                return candidates_type_0
            except (TypeError, ValueError, AttributeError, KeyError):
                pass
            return cast(list[CandidateSplits] | None | Unset, data)

        candidates = _parse_candidates(d.pop("candidates", UNSET))

        compare = d.pop("compare", UNSET)

        significance_level_of = d.pop("significance_level_of", UNSET)

        criterion = d.pop("criterion", UNSET)

        leaf_probabilities = d.pop("leaf_probabilities", UNSET)

        smearing_probability = d.pop("smearing_probability", UNSET)

        n_repeats = d.pop("n_repeats", UNSET)

        stop_when_pure = d.pop("stop_when_pure", UNSET)

        def _parse_evaluation_dataset(data: object) -> None | str | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            return cast(None | str | Unset, data)

        evaluation_dataset = _parse_evaluation_dataset(d.pop("evaluation_dataset", UNSET))

        seed = d.pop("seed", UNSET)

        run_on = d.pop("run_on", UNSET)

        approximation_tree_request = cls(
            model=model,
            dataset=dataset,
            settings=settings,
            method=method,
            max_depth=max_depth,
            max_leaves=max_leaves,
            min_samples_leaf=min_samples_leaf,
            significance=significance,
            max_pseudo_samples=max_pseudo_samples,
            generator=generator,
            fitted_on=fitted_on,
            choose_by=choose_by,
            candidates=candidates,
            compare=compare,
            significance_level_of=significance_level_of,
            criterion=criterion,
            leaf_probabilities=leaf_probabilities,
            smearing_probability=smearing_probability,
            n_repeats=n_repeats,
            stop_when_pure=stop_when_pure,
            evaluation_dataset=evaluation_dataset,
            seed=seed,
            run_on=run_on,
        )

        return approximation_tree_request
