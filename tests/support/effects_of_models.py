"""Real models ready for their effects, and what coalitions are worth by the model itself."""

import functools
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from tests.support.models import ALL_MODELS, FittedModel, fitted
from tests.support.naive_effects import mixed_rows, shapley_values
from tests.support.pipelines import FittedPipeline, fitted_pipeline
from tree_explainers.effects.ensemble_effects import EnsembleEffects
from tree_explainers.onnx_models.tree_inputs import TreeInputs
from tree_explainers.rows import Rows

_MOST_PLAYERS = 8
Floats = NDArray[np.float64]


@dataclass(frozen=True)
class ExplainedModel:
    """A real model and its effects; many features are put into groups, so that all coalitions can be tried."""

    model: FittedModel | FittedPipeline
    effects: EnsembleEffects
    inputs: TreeInputs

    def ranks(self, rows: Rows) -> NDArray[np.uint16]:
        return self.effects.ranks(self.inputs.columns(rows))

    def margins(self, rows: Rows) -> tuple[Floats, Floats]:
        """Return what the model's own scores say of each class against the first, and how exactly, (n_rows, n_scores).

        Of log-odds, these are differences between two classes; other scores are as they are.
        """
        scores = np.asarray(self.model.session.run_in_chunks(rows).scores, np.float64)
        if self.effects.scale != "log_odds":
            return scores, np.full(scores.shape, 1e-6 * max(1.0, np.abs(scores).max()))
        with np.errstate(divide="ignore"):
            logs = np.log(scores)
        error = 1e-6 / np.minimum(scores, scores[:, :1])
        return logs - logs[:, :1], error

    def naive(self, row: int, reference: int) -> tuple[Floats, Floats]:
        """Return effects on the margins by predicting all coalitions, (n_players, n_scores), and how exact they are."""
        rows, players = self.model.rows, self.effects.players
        of_feature = [_player_of(name, players.names) for name in rows.names]
        cells = [[column[at] for column in rows.columns] for at in (row, reference)]
        largest = np.zeros(1)

        def worth(members: NDArray[np.bool_]) -> Floats:
            mixed = Rows(rows.names, tuple(mixed_rows(cells[0], cells[1], of_feature, members)))
            margins, error = self.margins(mixed)
            largest[0] = error.max()
            return margins

        return shapley_values(worth, len(players.names)), largest

    def margins_of_effects(self, row: int, reference: int) -> Floats:
        """Return the effects on the same margins, (n_players, n_scores)."""
        ranks = self.ranks(self.model.rows.take(np.array([row, reference])))
        n_scores = len(self.effects.scores.signs)
        by_score = [self.effects.mean_effects(ranks[:1], ranks[1:], score)[0] for score in range(n_scores)]
        effects = np.stack(by_score, axis=1)
        if self.effects.scale != "log_odds":
            return effects
        is_of_one = self.effects.link == "logistic"  # of two classes, each of which has the log-odds of its own
        return np.stack([0 * effects[:, 0], effects[:, 1]], axis=1) if is_of_one else effects - effects[:, :1]


def _player_of(feature: str, names: Sequence[str]) -> int:
    return next(at for at, name in enumerate(names) if feature in name.split("+"))


@functools.cache
def explained(name: str) -> ExplainedModel:
    """Return one of ``ALL_MODELS``, ``PIPELINES`` or ``NATIVE``."""
    model = fitted(name) if name in ALL_MODELS else fitted_pipeline(name)
    read, features = model.read, model.rows.names
    parts = [features[at::_MOST_PLAYERS] for at in range(_MOST_PLAYERS)]
    groups = {"+".join(part): part for part in parts if len(part) > 1}
    effects = EnsembleEffects.of(read.description, read.for_walker.as_read(read.ensemble), groups)
    return ExplainedModel(model, effects, TreeInputs(read.description, read.ensemble, read.for_walker))
