"""Entity versions: what changes whenever an immutable resource does, read without the resource itself."""

from typing import Any

from sqlalchemy import JSON, select

from .database import Database
from .records import first_record
from .tables import artefacts, datasets, dictionaries, models, relational_datasets

_UPLOADS = {"models": models, "datasets": datasets, "relational_datasets": relational_datasets}


def entity_version(database: Database, noun: str, identifier: str) -> tuple[Any, ...] | None:
    """Return the version of a model, a dataset or a finished artefact: equal versions mean equal content.

    It consists of the small columns of the row, among them the hashes of the objects that hold the content, a name that
    can be changed, and the time of creation, which differs where something was deleted and made again; and of the
    revision of the dataset's dictionary, whose words are shown with it.

    Parameters
    ----------
    database
        Where the rows are.
    noun
        The plural used in tables, such as ``rule_sets``.
    identifier
        An id, or what a caller sent as one.

    Returns
    -------
    tuple or None
        None where there is nothing of this id, or its artefact is not finished and may still change.
    """
    table = _UPLOADS.get(noun, artefacts)
    small_columns = [column for column in table.c if not isinstance(column.type, JSON)]
    query = select(*small_columns).where(table.c.id == identifier)
    # The revision of the words that are shown with it, where these are of one dataset.
    dataset = {"datasets": datasets.c.id, "artefacts": artefacts.c.dataset}.get(table.name)
    if dataset is not None:
        query = query.add_columns(dictionaries.c.revision).outerjoin(dictionaries, dictionaries.c.id == dataset)
    if table is artefacts:
        query = query.where(artefacts.c.noun == noun, artefacts.c.result.is_not(None))
    with database.reading() as connection:
        row = first_record(connection, query)
    return None if row is None else tuple(row.values())
