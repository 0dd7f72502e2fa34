"""The file of all reference rows that an earlier prototype set keeps, for another one of the same model and dataset.

The file depends on the model, the dataset and the leaves alone, not on which prototypes are chosen. Making it takes a
good part of a job: bags are drawn again, all values are read, and what is written is hashed.
"""

from pathlib import Path
from typing import Any

import orjson

from schemas.identifiers import content_identifier
from schemas.prototype_sets import PROTOTYPE_SETS, PrototypeSetRequest
from storage.artefacts import Artefact, ArtefactStore
from storage.errors import NotFound, ObjectDamaged
from storage.object_store import PreparedFile

from ..runtime.context import JobContext

_MOST_EARLIER = 20  # prototype sets, the newest, whose requests are compared
_DECISIVE = ("labels", "nearest_rows")  # what in a request the file depends on, beside model and dataset


def kept_reference(context: JobContext, name: str, min_leaf_rows: int, path: Path) -> PreparedFile | None:
    """Return the file that would be written, linked at a path; ``None`` where no earlier prototype set keeps it.

    Parameters
    ----------
    context
        The job of a prototype set.
    name
        Under which prototype sets keep the file.
    min_leaf_rows
        Of the leaves in which rows are compared with prototypes.
    path
        In the job's workspace: the link stays, whatever is deleted meanwhile.
    """
    request = PrototypeSetRequest(**context.request)
    made_from = {"model": request.model, "dataset": request.dataset}
    store = ArtefactStore(context.database)
    earlier = store.list(PROTOTYPE_SETS.name, _MOST_EARLIER, None, status="ready", **made_from)
    for artefact in earlier.data:
        if name in artefact.files and _is_alike(context, artefact, request.model_dump(mode="json"), min_leaf_rows):
            return _linked(context, artefact.files[name], path)
    return None


def _is_alike(context: JobContext, artefact: Artefact, request: dict[str, Any], min_leaf_rows: int) -> bool:
    """Return whether this revision made a prototype set, and its file depends on the same."""
    is_of_this_revision = artefact.id == content_identifier(
        PROTOTYPE_SETS.name, PROTOTYPE_SETS.revision, artefact.request
    )
    if not is_of_this_revision or any(artefact.request.get(each) != request[each] for each in _DECISIVE):
        return False
    of_earlier = artefact.request["min_leaf_rows"]
    if of_earlier == "auto":
        of_earlier = _result_of(context, artefact)["min_leaf_rows"]
    return bool(of_earlier == min_leaf_rows)


def _result_of(context: JobContext, artefact: Artefact) -> dict[str, Any]:
    result: dict[str, Any] = orjson.loads(context.objects.get(artefact.ready_result()))
    return result


def _linked(context: JobContext, sha256: str, path: Path) -> PreparedFile | None:
    try:
        path.hardlink_to(context.objects.path_of_pages(sha256))
    except (NotFound, ObjectDamaged, OSError):  # it was deleted meanwhile, or lies on another disk: it is made again
        return None
    return PreparedFile(path, sha256)
