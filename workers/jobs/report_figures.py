"""Figures of reports that need all rows of a dataset: its rows, block by block, and two models on the same rows."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from explanations.dataset_rows import DatasetRows
from explanations.instances import read_instances, run_readable
from explanations.reports.inputs import Explained, Json
from explanations.rules import WarmRules
from explanations.trees import WarmTree
from explanations.warm_explainer import WarmExplainer
from schemas.approximation_trees import ApproximationTreeResult
from schemas.models import MAX_INSTANCES
from schemas.reports import LabelChange, ReportComparison
from schemas.rule_sets import RuleSetResult
from storage.dataset_rows import open_rows
from storage.datasets import StoredDataset
from storage.feature_matching import match_features
from storage.object_store import ObjectStore
from tree_explainers.compute.progress import ReportProgress
from tree_explainers.onnx_models.session import Outcome
from tree_explainers.prototype_sets.nearest import contiguous_leaves

_MOST_CHANGES = 20
_BLOCK_LEAVES = 1 << 22  # rows of a block x trees


@dataclass(frozen=True, slots=True)
class RowSource:
    """The rows of a dataset, which are read block by block."""

    stored: StoredDataset
    objects: ObjectStore

    def blocks(self, models: Sequence[WarmExplainer], report: ReportProgress) -> Iterator[list["Block"]]:
        """Yield each block as every model sees it; all models see the same rows."""
        n_rows = self.stored.view.n_rows
        n_trees = max(warm.model.n_trees for warm in models)
        n_block = max(1, min(MAX_INSTANCES, _BLOCK_LEAVES // max(1, n_trees)))
        with open_rows(self.objects, self.stored.content) as file:
            readers = [DatasetRows(file, match_features(warm.model, self.stored.view)) for warm in models]
            for start in range(0, n_rows, n_block):
                report(start / n_rows, "looking at all rows")
                rows = range(start, min(start + n_block, n_rows))
                yield [_block(warm, reader, rows) for warm, reader in zip(models, readers, strict=True)]


@dataclass(frozen=True, slots=True)
class Block:
    """The rows of a block that a model accepts."""

    indices: NDArray[np.int64]  # (n_accepted,) among the rows of the block
    values: Sequence[Sequence[Any]]  # of these, in the order of the model's features
    outcome: Outcome  # of these
    n_refused: int


def _block(warm: WarmExplainer, reader: DatasetRows, rows: range) -> Block:
    instances, _ = reader.read(rows)
    read = read_instances(instances, warm.features)
    outcome, indices, refused = run_readable(warm.session, read)
    values = dict(zip(read.indices, read.values, strict=True))
    return Block(np.asarray(indices, dtype=np.int64), [values[index] for index in indices], outcome, len(refused))


class _Side:
    """The labels that a model's prototypes, rules and tree each give rows; None where there is none, or no label."""

    def __init__(self, warm: WarmExplainer, explained: Explained) -> None:
        self._warm = warm
        names = warm.model.feature_names
        rules, tree = (
            None if document is None else document["result"]
            for document in (explained.rule_set, explained.approximation_tree)
        )
        is_first = rules is not None and rules["combination"] == "first"
        self._rules = WarmRules.of(RuleSetResult.model_validate(rules), names) if is_first else None
        self._predictions = [] if rules is None else [each["prediction"] for each in rules["rules"]]
        self._default = None if rules is None else rules["default_prediction"]
        self._tree = None if tree is None else WarmTree.of(ApproximationTreeResult.model_validate(tree), names)
        self._leaves = [] if tree is None else [node["prediction"] for node in tree["nodes"]]
        # Whether each gives outcomes of a decision, which are not compared with classes.
        self.gives_outcomes = {
            "prototypes": warm.by_outcome,
            "rules": rules is not None and rules["classes"] != warm.model.classes,
            "trees": self._tree is not None and self._tree.says_outcomes(warm.session.description),
        }

    @property
    def classes(self) -> Sequence[str]:
        """Classes of the model."""
        return self._warm.model.classes

    @property
    def outcomes(self) -> Sequence[str]:
        """What the model decides: outcomes of its decision, or else its classes."""
        return self._warm.session.description.outcomes

    @property
    def decides_apart(self) -> bool:
        """Whether outcomes are something else than predicted labels."""
        return self._warm.session.description.decides_apart

    def decided(self, block: Block, *, by_outcome: bool) -> list[str] | None:
        """Return what the model decides of the rows of a block, or else predicts; ``None``: it predicts values."""
        outcome, description = block.outcome, self._warm.session.description
        names = self.outcomes if by_outcome else self.classes
        indices = description.outcome_indices(outcome.scores, outcome.labels) if by_outcome else outcome.labels
        return None if indices is None else [names[index] for index in indices.tolist()]

    def labels(self, block: Block) -> dict[str, list[Any] | None]:
        """Return the labels that each gives the rows of a block."""
        if not self.outcomes:
            return dict.fromkeys(_EXPLAINERS)
        proximities = self._warm.index.proximities(contiguous_leaves(self._warm.leaves(block.outcome)))
        nearest = zip(proximities.argmax(axis=1).tolist(), proximities.max(axis=1).tolist(), strict=True)
        prototypes = [self._warm.prototypes[each].label if proximity else None for each, proximity in nearest]
        rules = None
        if self._rules is not None:
            firing = [self._rules.firing(row) for row in block.values]
            rules = [self._predictions[fired[0]] if fired else self._default for fired in firing]
        tree = None if self._tree is None else [self._leaves[self._tree.leaf_of(row)] for row in block.values]
        return dict(zip(_EXPLAINERS, (prototypes, rules, tree), strict=True))


_EXPLAINERS = ("prototypes", "rules", "trees")


def compare(
    models: tuple[WarmExplainer, WarmExplainer],
    explained: tuple[Explained, Explained],
    source: RowSource,
    report: ReportProgress,
) -> ReportComparison:
    """Return how another model, the second, differs from the first on the same rows."""
    compared = _ComparedRows([_Side(warm, each) for warm, each in zip(models, explained, strict=True)])
    for blocks in source.blocks(models, report):
        compared.add(*blocks)
    first, second = models
    n_rows, changed = compared.n_rows, compared.changed()
    is_regression = not first.model.classes and not compared.by_outcome
    return ReportComparison(
        other_model=second.model.id,
        compared="value" if is_regression else "outcome" if compared.by_outcome else "label",
        n_rows=n_rows,
        n_refused=compared.n_refused,
        n_changed=None if is_regression else sum(changed.values()),
        changes=[
            LabelChange(label=label, other_label=other_label, n_rows=n)
            for (label, other_label), n in list(changed.items())[:_MOST_CHANGES]
        ],
        mean_difference=compared.difference / n_rows if is_regression and n_rows else None,
        **{f"{name}_agreement": compared.agreement(name) for name in _EXPLAINERS},
        **_in_both(*explained),
    )


class _ComparedRows:
    """What two models have in common, counted block by block over the rows that both accept."""

    def __init__(self, sides: Sequence[_Side]) -> None:
        self._sides = sides
        # Both decide, and between the same outcomes; otherwise labels are compared, which are of the same classes.
        are_same = sorted(sides[0].outcomes) == sorted(sides[1].outcomes)
        self.by_outcome = are_same and any(side.decides_apart for side in sides)
        self._agreeing: dict[str, int] = {}  # rows that explainers of both give the same label, by explainer
        self._changes: Counter[tuple[str, str]] = Counter()  # rows by label and the other model's label
        self.n_rows = 0
        self.n_refused = 0  # by one of them, or by both
        self.difference = 0.0  # sum over the rows of a regression

    def add(self, seen: Block, seen_by_other: Block) -> None:
        """Count the rows of a block."""
        _, mine, its = np.intersect1d(seen.indices, seen_by_other.indices, assume_unique=True, return_indices=True)
        self.n_rows += len(mine)
        self.n_refused += max(len(seen.indices) + seen.n_refused - len(mine), 0)
        self._add_explainers(self._sides[0].labels(seen), self._sides[1].labels(seen_by_other), mine, its)
        first, second = self._sides
        labels = first.decided(seen, by_outcome=self.by_outcome)
        other_labels = second.decided(seen_by_other, by_outcome=self.by_outcome)
        if labels is None or other_labels is None:
            gaps = np.abs(seen.outcome.scores[mine, 0] - seen_by_other.outcome.scores[its, 0])
            self.difference += float(gaps.astype(np.float64).sum())
            return
        self._changes.update((labels[one], other_labels[two]) for one, two in zip(mine, its, strict=True))

    def _add_explainers(
        self,
        labels: Mapping[str, list[Any] | None],
        other_labels: Mapping[str, list[Any] | None],
        mine: NDArray[np.int64],
        its: NDArray[np.int64],
    ) -> None:
        for name in _EXPLAINERS:
            one, two = labels[name], other_labels[name]
            if one is not None and two is not None and len({side.gives_outcomes[name] for side in self._sides}) == 1:
                n_same = sum(one[i] == two[j] for i, j in zip(mine.tolist(), its.tolist(), strict=True))
                self._agreeing[name] = self._agreeing.get(name, 0) + n_same

    def agreement(self, name: str) -> float | None:
        """Return the share of rows to which an explainer of both models gives the same label."""
        return self._agreeing[name] / self.n_rows if name in self._agreeing and self.n_rows else None

    def changed(self) -> dict[tuple[str, str], int]:
        """Return the rows whose label differs, by both labels, the most frequent pairs first."""
        pairs = [pair for pair in self._changes if pair[0] != pair[1]]
        return {pair: self._changes[pair] for pair in sorted(pairs, key=lambda pair: (-self._changes[pair], pair))}


def _in_both(first: Explained, second: Explained) -> dict[str, Any]:
    """Return what both sides have: rows that are prototypes, rules by their texts, features that trees ask about."""
    is_same = first.dataset["id"] == second.dataset["id"]
    prototypes = [[each["row_id"] for each in side.prototype_set["result"]["prototypes"]] for side in (first, second)]
    rule_sets = [[] if side.rule_set is None else side.rule_set["result"]["rules"] for side in (first, second)]
    rules = [[rule["text"] for rule in rule_set] for rule_set in rule_sets]
    features = [_features(side.approximation_tree) for side in (first, second)]
    return {
        "prototypes_in_both": [each for each in prototypes[0] if is_same and each in set(prototypes[1])],
        "rules_in_both": [each for each in rules[0] if each in set(rules[1])],
        "tree_features_in_both": [each for each in features[0] if each in set(features[1])],
    }


def _features(tree: Json | None) -> list[str]:
    """Return the features of a tree's questions, in the order in which they first occur."""
    nodes = [] if tree is None else tree["result"]["nodes"]
    return list(dict.fromkeys(node["feature"] for node in nodes if node["feature"] is not None))
