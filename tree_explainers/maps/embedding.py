"""Embeddings: places of rows in two dimensions, from their nearest rows alone; never n x n.

Forest proximities have no two good linear axes, so that classical scaling alone does not serve: t-SNE (van der Maaten
and Hinton, 2008) keeps the near rows together. It begins with landmark scaling, which lays out the whole.
"""

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from ..compute.progress import ReportProgress, ignore_progress, part_of
from ..errors import InvalidInput
from ..leaf_space.leaves import LeafTable
from ..leaf_space.nearest_rows import NearestRows
from ..leaf_space.proximity import columns

if TYPE_CHECKING:
    from openTSNE.affinity import PerplexityBasedNN

N_LANDMARKS = 200
_NEIGHBORS_PER_PERPLEXITY = 3  # as van der Maaten (2014) has it
_START_SPREAD = 1e-4  # standard deviation of the first places, as in the paper
_JITTER = 1e-6  # rows in one place would stay there
_EXAGGERATED, _ITERATIONS, _EXAGGERATION = 250, 500, 12.0
_MOMENTA = 0.5, 0.8
_EVERY = 10  # iterations between two reports
_NEIGHBORS_FOUND = 0.2  # of the progress


def sample_rows(n_rows: int, n_wanted: int, always: NDArray[np.integer], rng: np.random.Generator) -> NDArray[np.int64]:
    """Return the rows of a map: some that are always in, and others that are drawn.

    Parameters
    ----------
    n_rows
        Number of rows of the dataset.
    n_wanted
        Number of rows of the map; all rows where there are no more, and more where ``always`` has more.
    always : (n_always,)
        Rows that are in.
    rng
        Draws the others.

    Returns
    -------
    (n_sampled,) int64
        Ascending, each once.
    """
    fixed = np.unique(always).astype(np.int64)
    others = np.setdiff1d(np.arange(n_rows), fixed, assume_unique=True)
    drawn = rng.choice(others, min(len(others), max(0, n_wanted - len(fixed))), replace=False)
    return np.sort(np.concatenate([fixed, drawn]))


def embed(
    table: LeafTable,
    weights: NDArray[np.int64],
    n_neighbors: int,
    seed: int,
    report: ReportProgress = ignore_progress,
) -> NDArray[np.float64]:
    """Return the place of each row: t-SNE from the sparse nearest rows, with 1 - proximity as their distance.

    One thread: the same rows and seed give the same bits.

    Parameters
    ----------
    table
        Leaves of the rows.
    weights : (n_trees,) int64
        What each tree counts.
    n_neighbors
        Nearest rows of each row that hold it in its place, 1 to ``n_rows - 1``; the perplexity is a third of it. Those
        that share no leaf with a row are as far as can be.
    seed
        Draws the landmarks, and parts rows that begin in one place.
    report
        Progress callback; may raise to stop.

    Returns
    -------
    (n_rows, 2) float64
        Centred; lengths have no unit.

    Raises
    ------
    InvalidInput
        If there are not as many other rows.

    References
    ----------
    Van der Maaten and Hinton (2008), "Visualizing Data using t-SNE"; Policar, Strazar and Zupan (2024), "openTSNE",
    which computes it: by Barnes and Hut's trees, and from 10,000 rows on by interpolation.
    """
    # It imports scikit-learn, which takes longer than most jobs.
    from openTSNE.affinity import PerplexityBasedNN
    from openTSNE.nearest_neighbors import PrecomputedNeighbors

    if table.n_rows <= n_neighbors:
        msg = f"{n_neighbors} nearest rows of each row need more than {table.n_rows} rows"
        raise InvalidInput(msg)
    rng = np.random.default_rng(seed)
    rows, shared = NearestRows(table, weights).of_rows(
        np.arange(table.n_rows), n_neighbors, part_of(report, 0, _NEIGHBORS_FOUND)
    )
    distances = 1.0 - shared / int(weights.sum())
    # t-SNE begins with the places in a small spread
    positions = landmark_places(table, weights, rng)
    largest = positions.std(axis=0).max()
    scaled = positions * (_START_SPREAD / largest) if largest > 0 else positions
    start = np.asarray(scaled + rng.normal(scale=_JITTER, size=positions.shape))
    affinities = PerplexityBasedNN(
        perplexity=n_neighbors / _NEIGHBORS_PER_PERPLEXITY,
        knn_index=PrecomputedNeighbors(rows, distances),
        n_jobs=1,
        random_state=seed,
    )
    return _optimised(start, affinities, seed, part_of(report, _NEIGHBORS_FOUND, 1))


def landmark_places(
    table: LeafTable, weights: NDArray[np.int64], rng: np.random.Generator, n_landmarks: int = N_LANDMARKS
) -> NDArray[np.float64]:
    """Return places by landmark multidimensional scaling: rows by their distances to a few, which are scaled.

    Returns
    -------
    (n_rows, 2) float64
        The two axes on which the landmarks vary most; an axis on which they do not vary is 0. The sign of an axis is
        such that the landmark farthest from its middle is at the positive end (ties: the lower row).

    References
    ----------
    De Silva and Tenenbaum (2004), "Sparse multidimensional scaling using landmark points".
    """
    landmarks = np.sort(rng.choice(table.n_rows, min(n_landmarks, table.n_rows), replace=False))
    shared = columns(table, weights, table.leaves_of(landmarks), n_threads=1)
    squared = (1.0 - shared / int(weights.sum())) ** 2
    among = squared[:, landmarks]
    means = among.mean(axis=1)
    centred = -(among - means - means[:, None] + means.mean()) / 2
    values, vectors = np.linalg.eigh(centred)
    positions = np.zeros((table.n_rows, 2))
    for axis, (value, vector) in enumerate(zip(values[::-1][:2], vectors.T[::-1][:2], strict=False)):
        if value > _JITTER:
            upright = vector * np.sign(vector[np.abs(vector).argmax()])
            positions[:, axis] = -(upright / np.sqrt(value)) @ (squared - means[:, None]) / 2
    return positions


def _optimised(
    start: NDArray[np.float64], affinities: "PerplexityBasedNN", seed: int, report: ReportProgress
) -> NDArray[np.float64]:
    from openTSNE import TSNEEmbedding  # see above

    positions, n_done = start, 0
    for n_iterations, exaggeration, momentum in (
        (_EXAGGERATED, _EXAGGERATION, _MOMENTA[0]),
        (_ITERATIONS, 1.0, _MOMENTA[1]),
    ):

        def reported(iteration: int, _error: float, _places: object, n_before: int = n_done) -> None:
            report((n_before + iteration) / (_EXAGGERATED + _ITERATIONS), "laying out the map")

        embedding = TSNEEmbedding(positions, affinities, n_jobs=1, random_state=seed)
        embedding = embedding.optimize(
            n_iterations,
            exaggeration=exaggeration,
            momentum=momentum,
            callbacks=reported,
            callbacks_every_iters=_EVERY,
        )
        positions, n_done = np.array(embedding, dtype=np.float64), n_done + n_iterations
    return np.asarray(positions - positions.mean(axis=0))
