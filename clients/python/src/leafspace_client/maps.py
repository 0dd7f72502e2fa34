"""Maps: rows in two dimensions, where those that the model sees as alike lie side by side."""

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any, TypeVar

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
from .calls import Program, Work, awaitable, blocking, create, fetch
from .contract.maps import create_map, delete_map, get_map, get_map_content, list_maps, place_rows_on_map
from .frames import map_rows_frame
from .headlines import counted
from .nouns import AsyncDeletable, Collection, Identified, Noun, Settings, SyncDeletable, id_of, id_or_none, unless_none
from .records import Records
from .row_batches import named_batches
from .texts import tenths
from .types import LabelAuditProximityKind, MapRequest, MapResult, MapRow, PlacedRow, PlacesRequest
from .types import Map as Details

MAPS: Noun[Details] = Noun(get_map, list_maps, delete_map)
Kept = TypeVar("Kept")


class MapView(ArtefactView[Details]):
    """A map as it was when it was last fetched; ``details`` has all fields that the service sends."""

    noun = MAPS
    contents = Content(get_map_content, TABLE_MEDIA_TYPES)

    @property
    def neighbors_kept(self) -> float | None:
        """Share of a row's ten nearest in leaf space that are among its ten nearest on the map; none without any."""
        neighbors_kept: float | None = self._part("neighbors_kept")
        return neighbors_kept

    @property
    def trustworthiness(self) -> float:
        """How few of a row's ten nearest on the map are far from it in leaf space: 1 where none is.

        What shuffled places score, ``details.result.trustworthiness_by_chance``, may be close to 1, too.
        """
        trustworthiness: float = self._part("trustworthiness")
        return trustworthiness

    def _contents(self, result: MapResult) -> str:
        prototypes = f" with {counted(result.n_prototypes, 'prototype')}" if result.n_prototypes else ""
        figures = [
            counted(result.n_rows_shown, "row") + prototypes,
            f"trustworthiness {result.trustworthiness:.3f} (by chance {result.trustworthiness_by_chance:.3f})",
        ]
        if result.neighbors_kept is not None and result.neighbors_kept_by_chance is not None:
            shares = f"{tenths(result.neighbors_kept)} (by chance {tenths(result.neighbors_kept_by_chance)})"
            figures.append(f"neighbours kept {shares}")
        return ", ".join(figures)


def _rows(self: MapView) -> Program[list[MapRow]]:
    """Return all rows on the map, in the order of the dataset."""
    return (yield from every_item(self))


def _to_frame(self: MapView) -> Program[Any]:
    """Return all rows on the map as a DataFrame, in the order of the dataset; needs pandas.

    Returns
    -------
    pandas.DataFrame
        ``row`` (from 0), ``row_id``; ``x`` and ``y``, whose units mean nothing; ``label``, ``predicted_label``,
        ``outcome``, ``target`` and ``value``, as far as there are any; ``prototype_rank`` (from 1) of prototypes.

    Raises
    ------
    MissingExtra
        Without pandas.
    """
    rows: Sequence[MapRow] = yield from _rows(self)
    return (yield Work(lambda: map_rows_frame(rows)))


def _download(self: MapView, path: str | Path, form: TableFile = "parquet") -> Program[Path]:
    """Write all rows on the map to a file, in the order of the dataset, and return its path.

    Parameters
    ----------
    form : columns

    Raises
    ------
    CannotWrite
        If the file cannot be written there.
    """
    return (yield from download(self, path, form))


def _place(
    self: MapView,
    rows: Any,  # a DataFrame, an array, dicts, lists
    *,
    row_ids: Iterable[Any] | None = None,
) -> Program[list[PlacedRow]]:
    """Return where new rows stand on the map: each at the mean of its ten nearest rows, weighted by proximity.

    Parameters
    ----------
    rows
        A DataFrame, an array of shape (n_rows, n_features), dicts or lists.
    row_ids : names
    """
    placed: Records[PlacedRow] = Records()
    for batch, names in named_batches(rows, row_ids):
        request = PlacesRequest(instances=batch, row_ids=names)
        answer = yield from fetch(place_rows_on_map(self.id, body=request))
        placed += answer.data
    return placed


def _create(  # the parameters of the method, all with defaults
    self: Collection[Details, Kept],
    model: Identified,
    dataset: Identified,
    *,
    prototype_set: Identified | None = None,
    n_rows: int = 5_000,
    n_neighbors: int = 45,
    proximity_kind: LabelAuditProximityKind = "auto",
    min_leaf_rows: int = 1,
    seed: int = 0,
    settings: Settings | None = None,
) -> Program[Kept]:
    """Request a map of a dataset's rows; call ``wait()`` on what is returned.

    Parameters
    ----------
    prototype_set
        A prototype set of both, whose prototypes are all on the map.
    n_rows
        Maximum number of rows; of a larger dataset they are drawn.
    n_neighbors
        Number of nearest rows that hold each row in its place.
    seed
        Draws the rows and the layout: the same request gives the same map.
    settings
        ``"paper"`` is taken as everywhere; papers say nothing about maps.
    """
    request = MapRequest(
        model=id_of(model),
        dataset=id_of(dataset),
        prototype_set=id_or_none(prototype_set),
        n_rows=n_rows,
        n_neighbors=n_neighbors,
        proximity_kind=proximity_kind,
        min_leaf_rows=min_leaf_rows,
        seed=seed,
        settings=unless_none(settings),
    )
    return self._wrapped((yield from create(create_map(body=request))))


class Map(MapView, BlockingArtefact):
    """A map, for the blocking client."""

    rows = blocking(_rows)
    to_frame = blocking(_to_frame)
    download = blocking(_download)
    place = blocking(_place)


class AsyncMap(MapView, AwaitableArtefact):
    """A map, for the async client."""

    rows = awaitable(_rows)
    to_frame = awaitable(_to_frame)
    download = awaitable(_download)
    place = awaitable(_place)


class Maps(SyncDeletable[Details, Map, Map]):
    """All maps, newest first."""

    noun = MAPS
    view = Map
    create = blocking(_create)


class AsyncMaps(AsyncDeletable[Details, AsyncMap, AsyncMap]):
    """All maps, newest first."""

    noun = MAPS
    view = AsyncMap
    create = awaitable(_create)
