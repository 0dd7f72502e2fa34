"""Effects of a row's features on its score, against a real row or the mean of some: exact Shapley values."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from schemas.explanation_parts import ReferenceKind
from storage.errors import StorageError
from tree_explainers.effects.ensemble_effects import EnsembleEffects, players_in_order, points_of_probability
from tree_explainers.effects.nearest_cases import NearestCases
from tree_explainers.effects.paired_walk import UNKNOWN_LEAVES
from tree_explainers.effects.walked_rows import WalkedRows
from tree_explainers.ensemble import TreeEnsemble
from tree_explainers.errors import MethodNotApplicable
from tree_explainers.onnx_models.description import ModelDescription
from tree_explainers.onnx_models.session import ModelSession, Outcome
from tree_explainers.onnx_models.tree_inputs import TreeColumns
from tree_explainers.onnx_models.walked_parts import WalkedParts
from tree_explainers.rows import Rows

from .dictionary_words import DictionaryWords
from .effect_pieces import EffectsOfRows
from .effect_references import MeanReference, MeanReferences, PrototypeRows, Reference, reference_of, some_names
from .effect_texts import EffectScale, EffectTexts
from .nearest_rows import WarmReference
from .reference_cases import ReferenceCase, candidates_of
from .sentences import Naming
from .shown_players import shown_groups, shown_players

Ints = NDArray[np.int64]


class EffectsQuestion(NamedTuple):
    """Which effects are wanted."""

    kind: ReferenceKind
    mean: MeanReference | None  # None: each row is compared with a prototype of its own
    score: int | None  # index of the score that effects are on; None: the one that decides, or of the predicted class


@dataclass(frozen=True, slots=True, eq=False)
class WarmEffects:
    """A model and its prototypes, ready for effects; nothing in it changes: threads may share it."""

    effects: EnsembleEffects
    columns: TreeColumns
    cases: tuple[ReferenceCase, ...]  # (n_prototypes,)
    candidates: NearestCases  # prototypes that rows are compared with: all, and then by the rows' class or outcome
    score: int | None  # index of the score that effects are on; None: that of the predicted class
    ranks: NDArray[np.uint16]  # (n_prototypes, n_ranked)
    leaves: NDArray[np.int32]  # (n_prototypes, n_trees) counted within their trees
    raw: NDArray[np.float64]  # (n_prototypes, n_scores)
    texts: EffectTexts
    means: MeanReferences
    score_of: Mapping[str, int]  # index of the score of each class, and of the one that decides on each outcome
    outcomes: tuple[str, ...]  # that prototypes may have: classes or outcomes; none of a regression
    walked: WalkedRows | None  # the model's predictions by the same trees; None: onnxruntime makes them

    @staticmethod
    def of(
        session: ModelSession,
        arrays: Mapping[str, NDArray[Any]],
        cases: tuple[ReferenceCase, ...],
        classes: NDArray[np.int64],
        *,
        by_outcome: bool,
        reference: WarmReference | None,
    ) -> "WarmEffects | None":
        """Return the effects of a model whose arrays these are; ``None`` where its scores are no sums over trees.

        No feature is shown until there are words (``with_words``).
        """
        ensemble, parts = TreeEnsemble.from_arrays(arrays), WalkedParts.from_arrays(arrays)
        description = session.description
        try:
            effects = EnsembleEffects.of(description, parts.as_read(ensemble))
        except MethodNotApplicable:
            return None
        columns = TreeColumns(description, parts)
        ranks = effects.ranks(columns.of(rows_of_values(description, [case.values for case in cases])))
        raw, rule = effects.raw_scores(ranks), description.decision
        prototypes = PrototypeRows(
            ranks, raw, tuple(case.outcome for case in cases), np.array([case.n_covered for case in cases], np.float64)
        )
        scale = EffectScale(effects.scale, effects.link, effects.has_points)
        of_outcomes = {} if rule is None else dict.fromkeys(rule.outcomes, rule.column)
        return WarmEffects(
            effects=effects,
            columns=columns,
            cases=cases,
            candidates=NearestCases.of(candidates_of(description, cases, classes, by_outcome=by_outcome)),
            score=rule.column if by_outcome and rule is not None else None,
            ranks=ranks,
            leaves=effects.trees.leaves(ranks) - ensemble.leaf_offsets[:-1].astype(np.int32),
            raw=raw,
            texts=EffectTexts(scale, cases, raw, description.classes),
            means=MeanReferences(effects, columns, description.feature_names, prototypes, reference),
            score_of={**of_outcomes, **{name: index for index, name in enumerate(description.classes)}},
            outcomes=description.outcomes if by_outcome else description.classes,
            walked=WalkedRows.of(session, columns, effects.trees, ensemble, parts),
        )

    def with_words(
        self, description: ModelDescription, words: DictionaryWords, naming: Naming, shown: frozenset[str] | None
    ) -> "WarmEffects":
        """Return the effects in the words, and by the groups, of a dictionary.

        Parameters
        ----------
        naming
            How sentences name things in these words.
        shown
            Names of features that callers may see; None: all.
        """
        groups = shown_groups(description, words, shown)
        effects = self.effects.with_groups(description, groups)
        players = shown_players(description, effects.players, groups, words, shown)
        texts = replace(self.texts, words=words, naming=naming, shown=players, principal={}, references={}, entries={})
        return replace(self, effects=effects, texts=texts)

    def reference(self, text: str | None) -> Reference:
        """Return the reference that a request names; see ``reference_of``."""
        return reference_of(text, self.outcomes)

    def question(self, reference: str | None, outcome: str | None) -> EffectsQuestion:
        """Return which effects a request wants; reference rows are read where they were not yet.

        Raises
        ------
        StorageError
            ``validation_failed`` for a reference that there is not or that has no rows, and for an unknown outcome.
        """
        named = self.reference(reference)
        if outcome is not None and outcome not in self.score_of:
            raise unknown_outcome(outcome, list(self.score_of))
        score = None if outcome is None else self.score_of[outcome]
        return EffectsQuestion(named.kind, self.means.of(named) if named.is_mean else None, score)

    def of_rows(
        self,
        rows: Rows | NDArray[np.float64],
        proximities: NDArray[np.int64],
        compared: Sequence[int | None],
        question: EffectsQuestion,
        outcome: Outcome,
    ) -> EffectsOfRows:
        """Return the effects of rows that the model takes, of those that have something to be compared with.

        As a ``contrast`` a row is compared with the nearest prototype of another class, those first of which the model
        is right, or, where outcomes are better and worse, of the best other outcome that has one.

        Parameters
        ----------
        rows : (n_rows, n_features)
            Raw values.
        proximities : (n_rows, n_prototypes)
            To the prototypes.
        compared : (n_rows,)
            The class or outcome of each row; None of a regression.
        question
            Which effects are wanted.
        outcome
            Of the model, for these rows.
        """
        ranks = outcome.ranks
        if ranks is None:
            feeds = outcome.feeds
            columns = self.columns.of(rows) if feeds is None else self.columns.of_feeds(feeds, len(rows))
            ranks = self.effects.ranks(columns)
        scores = self._scores(question, len(compared), outcome.labels)
        if question.mean is not None:
            return self._against_mean(ranks, scores, question.mean)
        kinds = [0 if index is None or question.kind != "contrast" else index + 1 for index in compared]
        references = self.candidates.of_rows(proximities, np.array(kinds, np.int64))
        # Only leaves of rows that were walked are surely those that effects compare.
        leaves = UNKNOWN_LEAVES[0] if outcome.ranks is None else outcome.leaves
        rows_paired = [row for row, reference in enumerate(references.tolist()) if reference >= 0]
        if len(rows_paired) < len(ranks):
            references, scores, ranks = references[rows_paired], scores[rows_paired], ranks[rows_paired]
            leaves = leaves[rows_paired] if len(leaves) else leaves
        effects = self.effects.effects_of_pairs(ranks, self.ranks, references, scores, (leaves, self.leaves))
        return _in_order(rows_paired, references, None, scores, effects, None)

    def _scores(self, question: EffectsQuestion, n_rows: int, labels: NDArray[np.int64] | None) -> Ints:
        """Return the index of the score that the effects of each row are on."""
        score = self.score if question.score is None else question.score
        return labels if score is None and labels is not None else np.full(n_rows, score or 0, np.int64)

    def _against_mean(self, ranks: NDArray[np.uint16], scores: Ints, mean: MeanReference) -> EffectsOfRows:
        effects = np.zeros((len(ranks), self.effects.n_players))
        points = np.zeros_like(effects) if self.effects.has_points else None
        for score in sorted(set(scores.tolist())):
            of_score = scores == score
            against = mean.ranks, score, mean.weights
            effects[of_score] = self.effects.mean_effects(ranks[of_score], *against)
            if points is not None:
                points[of_score] = points_of_probability(self.effects, ranks[of_score], *against)
        return _in_order(list(range(len(ranks))), np.zeros_like(scores), mean, scores, effects, points)

    @property
    def scale(self) -> str:
        """What effects are in: ``probability``, ``log_odds`` or ``value``."""
        return self.effects.scale


def _in_order(
    rows: list[int],
    references: Ints,
    mean: MeanReference | None,
    scores: Ints,
    effects: NDArray[np.float64],
    points: NDArray[np.float64] | None,
) -> EffectsOfRows:
    return EffectsOfRows(rows, references, mean, scores, effects, *players_in_order(effects), points)


def unknown_outcome(outcome: str, known: Sequence[str]) -> StorageError:
    """Return the refusal of an outcome that the model does not have."""
    if not known:
        detail = "the model is a regression without a decision, which has no outcomes; leave outcome out"
    else:
        detail = f"{outcome[:80]!r} is no outcome of the model; its outcomes are {some_names(known)}"
    return StorageError("validation_failed", detail, "/outcome")


def rows_of_values(description: ModelDescription, values: Sequence[Sequence[Any]]) -> Rows:
    """Return rows of raw values, as they are kept of prototypes."""
    columns = []
    for at, token in enumerate(description.missing_tokens):
        cells = [row[at] for row in values]
        if token is not None:
            columns.append(np.array([None, *cells], np.object_)[1:])
        else:
            columns.append(np.array([np.nan if cell is None else cell for cell in cells], np.float64))
    return Rows(tuple(description.feature_names), tuple(columns))
