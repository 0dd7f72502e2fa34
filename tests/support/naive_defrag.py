"""FAB and EM on the dense matrix of rows and statements: slow, obvious, written from Hara & Hayashi (2018) alone."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tree_explainers.questions.statements import FeatureStatements, Statements
from tree_explainers.rows import Rows

Matrix = NDArray[np.float64]

FLOOR = 1e-10  # of what is taken the logarithm of


def statement_matrix(statements: Statements, rows: Rows) -> Matrix:
    """Return s of each row, (n_rows, n_statements): 1 where a statement is true."""
    columns = rows.select([feature.name for feature in statements.features]).columns
    lines = [
        [
            truth
            for feature, column in zip(statements.features, columns, strict=True)
            for truth in _truths(statements, feature, column[row])
        ]
        for row in range(len(rows))
    ]
    return np.array(lines, dtype=np.float64)


def _truths(statements: Statements, feature: FeatureStatements, value: float | str | None) -> list[bool]:
    if feature.answers is not None:
        places: dict[Any, int] = {category: place for place, category in enumerate(feature.categories)}
        places |= {None: len(places) + 1, feature.missing_token: len(places) + 1}
        place = places.get(value, len(feature.categories))
        return [bool(answers[place]) for answers in feature.answers]
    number = float(statements.precision(np.nan if value is None else value))
    return [
        bool(greater) if np.isnan(number) else number > cut
        for cut, greater in zip(feature.cuts.tolist(), feature.missing_greater, strict=True)
    ]


@dataclass
class NaiveModel:
    """The parameters, Pi in the paper; arrays, or None where the targets are of the other kind."""

    eta: Matrix  # (n_regions, n_statements)
    alpha: Matrix  # (n_regions,)
    gamma: Any = None  # (n_regions, n_classes)
    mu: Any = None  # (n_regions,)
    variance: Any = None  # (n_regions,) 1 / lambda


@dataclass
class NaiveDefrag:
    """A training set: statements of rows, and either classes one-hot, (n_rows, n_classes), or values, (n_rows,)."""

    s: Matrix
    y: Matrix
    max_rounds: int = 100  # of an E-step

    @property
    def omega(self) -> float:
        """Half of dim(phi) / K + L + 1."""
        dim_phi: int = 2 if self.y.ndim == 1 else self.y.shape[1]
        return float((dim_phi + self.s.shape[1] + 1) / 2)

    def m_step(self, q: Matrix) -> NaiveModel:
        """Equation (14)."""
        sums = q.sum(axis=0)
        model = NaiveModel(eta=(q.T @ self.s) / sums[:, None], alpha=sums / len(q))
        if self.y.ndim == 2:
            model.gamma = (q.T @ self.y) / sums[:, None]
        else:
            model.mu = (q.T @ self.y) / sums
            squares = (self.y[:, None] - model.mu) ** 2
            model.variance = np.maximum((q * squares).sum(axis=0) / sums, FLOOR * self.y.var())
        return model

    def log_s(self, model: NaiveModel) -> Matrix:
        """Equation (6) and alpha."""
        yes, no = np.log(np.maximum(model.eta, FLOOR)), np.log(np.maximum(1 - model.eta, FLOOR))
        return self.s @ yes.T + (1 - self.s) @ no.T + np.log(model.alpha)

    def log_f(self, model: NaiveModel) -> Matrix:
        """The joint of equation (9): targets by equation (8)."""
        if model.gamma is not None:
            log_y: Matrix = self.y @ np.log(np.maximum(model.gamma, FLOOR)).T
            return self.log_s(model) + log_y
        squares = (self.y[:, None] - model.mu) ** 2
        log_normal: Matrix = -0.5 * np.log(2 * np.pi * model.variance) - 0.5 * squares / model.variance
        return self.log_s(model) + log_normal

    def e_step(self, log_f: Matrix, q: Matrix, omega: float) -> Matrix:
        """Equation (13) until the regions' weights stay or rounds end; equation (17) where regions cost nothing."""
        weights = q.sum(axis=0)
        for _ in range(self.max_rounds):
            penalised = log_f - omega / (weights + 1)
            q = np.exp(penalised - penalised.max(axis=1, keepdims=True))
            q /= q.sum(axis=1, keepdims=True)
            before, weights = weights, q.sum(axis=0)
            if omega == 0 or np.abs(weights - before).max() <= 1e-9 * len(q):
                break
        return q

    def bound(self, log_f: Matrix, q: Matrix, omega: float) -> float:
        """Equation (12), or (16) where regions cost nothing."""
        entropy = -(q * np.log(np.where(q > 0, q, 1))).sum()
        return float((q * log_f).sum() - omega * np.log(q.sum(axis=0) + 1).sum() + entropy)

    def fit(
        self, q: Matrix, omega: float, n_iterations: int, drawn: NaiveModel | None = None
    ) -> list[tuple[NaiveModel, float]]:
        """Return the model and the bound after each of this number of iterations of algorithm 1.

        Its first line draws the parameters, too; where none are drawn they follow from the responsibilities.
        """
        model = self.m_step(q) if drawn is None else drawn
        found = []
        for _ in range(n_iterations):
            q = self.e_step(self.log_f(model), q, omega)
            q = q[:, q.mean(axis=0) >= 1e-8]
            q /= q.sum(axis=1, keepdims=True)
            model = self.m_step(q)
            found.append((model, self.bound(self.log_f(model), q, omega)))
        return found

    def regions(self, model: NaiveModel) -> NDArray[np.int64]:
        """Equation (10)."""
        found: NDArray[np.int64] = self.log_s(model).argmax(axis=1)
        return found
