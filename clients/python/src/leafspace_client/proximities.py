"""Proximities: the nearest rows of every row of a dataset, as a model sees them."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, ClassVar, TypeVar

from .artefacts import (
    TABLE_MEDIA_TYPES,
    ArtefactView,
    AwaitableArtefact,
    BlockingArtefact,
    Content,
    TableFile,
    download,
    every_item,
)
from .calls import Program, Work, awaitable, blocking, create
from .contract.proximities import (
    create_proximities,
    delete_proximities,
    get_proximities,
    get_proximities_content,
    list_proximities,
)
from .frames import neighbors_frame
from .nouns import AsyncDeletable, Collection, Identified, Noun, Settings, SyncDeletable, id_of, unless_none
from .types import (
    NeighborsOfRow,
    ProximitiesProximityKind,
    ProximitiesRequest,
    RunOn,
)
from .types import Proximities as Details

PROXIMITIES: Noun[Details] = Noun(get_proximities, list_proximities, delete_proximities)
Kept = TypeVar("Kept")


class ProximitiesView(ArtefactView[Details]):
    """Proximities as they were when they were last fetched; ``details`` has the figures of all rows together."""

    noun = PROXIMITIES
    _figures: ClassVar[Mapping[str, str]] = {
        "n_rows": "rows",
        "n_trees": "trees",
        "n_neighbors": "nearest rows of each",
        "mean_nearest_proximity": "mean proximity of the nearest",
        "share_without_neighbors": "share of rows that are like no other",
    }
    contents = Content(get_proximities_content, TABLE_MEDIA_TYPES)


def _neighbors(self: ProximitiesView) -> Program[list[NeighborsOfRow]]:
    """Return for each row its nearest others, nearest first (ties: the lower row)."""
    return (yield from every_item(self))


def _to_frame(self: ProximitiesView) -> Program[Any]:
    """Return a DataFrame with a line for each row and neighbour; needs pandas.

    Returns
    -------
    pandas.DataFrame
        ``row`` and ``row_id``; ``rank`` (from 1), ``neighbor_row``, ``neighbor_row_id`` and ``proximity`` (0 to 1) of
        each neighbour. Rows are counted from 0.

    Raises
    ------
    MissingExtra
        Without pandas.
    """
    rows: Sequence[NeighborsOfRow] = yield from _neighbors(self)
    return (yield Work(lambda: neighbors_frame(rows)))


def _download(self: ProximitiesView, path: str | Path, form: TableFile = "parquet") -> Program[Path]:
    """Write all neighbours to a file, a line for each row and neighbour, and return its path.

    Parameters
    ----------
    form : columns

    Raises
    ------
    CannotWrite
        If the file cannot be written there.
    """
    return (yield from download(self, path, form))


def _create(  # the parameters of the method, all with defaults
    self: Collection[Details, Kept],
    model: Identified,
    dataset: Identified,
    *,
    n_neighbors: int = 10,
    proximity_kind: ProximitiesProximityKind = "auto",
    min_leaf_rows: int = 1,
    settings: Settings | None = None,
    run_on: RunOn = "auto",
) -> Program[Kept]:
    """Request the nearest rows of every row of a dataset; call ``wait()`` on what is returned.

    Parameters
    ----------
    n_neighbors
        Maximum number of other rows to name for each row.
    proximity_kind
        Which proximity; ``auto`` follows the model's kind of ensemble. ``euclidean``: plain distance between raw
        features instead, numbers by their ranks, with which ``min_leaf_rows`` means nothing. ``kernel``: each tree's
        weight is shared among the rows of the leaf. ``graded``: by how far two rows go together in each tree. For the
        training rows of a forest of scikit-learn: ``gap``, the share that a row has in the forest's out-of-bag
        prediction for the other, and ``oob``, the share of the trees that learned from neither row in which both have
        the same leaf.
    settings
        ``"paper"`` changes nothing here: the defaults are those of the paper.
    """
    request = ProximitiesRequest(
        model=id_of(model),
        dataset=id_of(dataset),
        n_neighbors=n_neighbors,
        proximity_kind=proximity_kind,
        min_leaf_rows=min_leaf_rows,
        settings=unless_none(settings),
        run_on=run_on,
    )
    return self._wrapped((yield from create(create_proximities(body=request))))


class Proximities(ProximitiesView, BlockingArtefact):
    """Proximities, for the blocking client."""

    neighbors = blocking(_neighbors)
    to_frame = blocking(_to_frame)
    download = blocking(_download)


class AsyncProximities(ProximitiesView, AwaitableArtefact):
    """Proximities, for the async client."""

    neighbors = awaitable(_neighbors)
    to_frame = awaitable(_to_frame)
    download = awaitable(_download)


class AllProximities(SyncDeletable[Details, Proximities, Proximities]):
    """All proximities, newest first."""

    noun = PROXIMITIES
    view = Proximities
    create = blocking(_create)


class AsyncAllProximities(AsyncDeletable[Details, AsyncProximities, AsyncProximities]):
    """All proximities, newest first."""

    noun = PROXIMITIES
    view = AsyncProximities
    create = awaitable(_create)
