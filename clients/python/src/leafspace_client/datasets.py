"""Datasets: registered tables of reference rows."""

from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any, Generic, TypeAlias, TypeVar

from .arguments import json_text
from .arrow_tables import TableFile
from .calls import (
    Connected,
    PageOf,
    Program,
    Work,
    awaitable,
    blocking,
    call_of,
    create,
    fetch,
    fetch_all,
    transport_of,
)
from .contract.datasets import (
    delete_dataset,
    delete_dictionary,
    get_dataset,
    get_dictionary,
    list_datasets,
    list_rows,
    put_dictionary,
    register_dataset,
    rename_dataset,
)
from .dictionaries import read_dictionary
from .jobs import cancel as cancel_job
from .jobs import check_success, wait_for_job
from .nouns import AsyncDeletable, Identified, Noun, SyncDeletable, id_of, rename_one, unless_none
from .records import Records
from .tables import TableNames
from .types import (
    UNSET,
    BodyRegisterDataset,
    Dataset,
    DatasetFiles,
    DatasetRow,
    DatasetSummary,
    Dictionary,
    DictionaryRequest,
    File,
    Job,
    SourceDatasetRequest,
)

DATASETS: Noun[Dataset] = Noun(get_dataset, list_datasets, delete_dataset, rename_dataset)
Wanted: TypeAlias = str | float | bool | tuple[float | None, float | None]
_NUMBERED_AT_ONCE = 100


def register(file: TableFile, name: str | None, names: TableNames) -> Program[Dataset]:
    """Send a table."""
    known = {
        "name": name,
        "target": names.target,
        "row_id": names.row_id,
        "features": None if names.features is None else list(names.features),
        "columns": list(names.columns) or None,
        "images": list(names.images) or None,
        "categories": list(names.categories) or None,
        "missing_values": [str(value) for value in names.missing_values] or None,
        "separator": names.separator,
        "held_out": names.held_out or None,
    }
    metadata = json_text({key: value for key, value in known.items() if value is not None})
    body = BodyRegisterDataset(file=File(file.content, "dataset", file.media_type), metadata=metadata)
    return (yield from create(register_dataset(body=body).answered_by(Dataset)))


class SourceRegistrationView(Connected):
    """Files of a lake that a job looks at, until they are a dataset; ``job`` is the job as it was last seen."""

    def __init__(self, transport: Any, job: Job) -> None:  # either transport
        self._transport = transport
        self.job = job

    def __repr__(self) -> str:
        return f"{type(self).__name__} by {self.job!r}"


RegistrationT = TypeVar("RegistrationT", bound=SourceRegistrationView)


def _wait(
    self: SourceRegistrationView, *, progress: bool | None = None, timeout: float | None = None
) -> Program[Dataset]:
    """Wait until the files have been looked at, and return the dataset.

    Raises
    ------
    JobFailed, JobCancelled
        With the code and the detail of the job's problem: what is wrong, and in which file.
    JobNotFinished
        If ``timeout`` is over; the job goes on.
    """
    self.job = yield from wait_for_job(self.job.id, progress=progress, timeout_seconds=timeout)
    check_success(self.job)
    return (yield from fetch(get_dataset(self.job.artefact)))


def _cancel(self: RegistrationT) -> Program[RegistrationT]:
    """Cancel the job; cancelling it again is no error."""
    self.job = yield from cancel_job(self, self.job)
    return self


class SourceRegistration(SourceRegistrationView):
    """Files of a lake that are being registered, for the blocking client."""

    wait = blocking(_wait)
    cancel = blocking(_cancel)


class AsyncSourceRegistration(SourceRegistrationView):
    """Files of a lake that are being registered, for the async client."""

    wait = awaitable(_wait)
    cancel = awaitable(_cancel)


def _request_source(files: str, name: str | None, names: TableNames) -> Program[Job]:
    """Request a dataset by reference."""
    body = SourceDatasetRequest(
        source=DatasetFiles(files=files),
        name=name,
        target=names.target,
        row_id=names.row_id,
        features=None if names.features is None else list(names.features),
        held_out=names.held_out or UNSET,
    )
    return (yield from create(register_dataset(body=body).answered_by(Job)))


class _RegistersSources(Connected, Generic[RegistrationT]):
    registration: type[RegistrationT]


def _register_source(
    self: _RegistersSources[RegistrationT],
    files: str,
    *,
    name: str | None = None,
    target: str | None = None,
    row_id: str | None = None,
    features: Sequence[str] | None = None,
    held_out: bool = False,
) -> Program[RegistrationT]:
    """Register a dataset whose rows stay in Parquet files of a lake; call ``wait()`` on what is returned.

    Parameters
    ----------
    files
        Their address: ``s3://bucket/folder/*.parquet`` or ``file:///folder/*.parquet``, below what the service's
        operator allows. A star matches any characters of one segment. Rows are in the order of the files' names.
    target
        The column with the labels or values to predict.
    row_id
        The column with the rows' ids, each another one; default: the rows' 0-based indices over all files.
    features
        Column names in the order of the model; default: all but target and row id.

    Raises
    ------
    Invalid
        ``source_not_allowed`` where the service may not read there.
    """
    job = yield from _request_source(files, name, TableNames.checked(target, row_id, features, held_out=held_out))
    return self.registration(self._transport, job)


def _rows(
    self: Connected,  # a method
    dataset: Identified,
    *,
    limit: int | None = None,
    columns: Sequence[str] = (),
    numbers: Sequence[int] | None = None,
    where: Mapping[str, Wanted] | None = None,
) -> Program[list[DatasetRow]]:
    """Return the rows of a dataset in their order, page by page, those with some numbers, or those with a value.

    Parameters
    ----------
    limit
        How many of the first rows; default: all.
    columns
        Names of the columns to read; default: all. A row that is larger than a page can be read column by column only.
    numbers
        Numbers of the rows to read, counted from 0, in any order; default: all rows.
    where
        A column and what it has in the rows: ``{"sex": "female"}``, or the ends of a range of numbers, which belong to
        it: ``{"age": (30, 40)}``; None for an end leaves it open.

    Raises
    ------
    ValueError
        If ``where`` names several columns, or ``numbers`` are given, too.
    """
    if where is not None:
        return (yield from fetch_all(_pages_where(dataset, columns, where, numbers), limit))
    if numbers is None:
        return (yield from fetch_all(_pages(dataset, columns, None), limit))
    rows: list[DatasetRow] = Records()
    wanted = [str(int(number)) for number in numbers[:limit]]
    for first in range(0, len(wanted), _NUMBERED_AT_ONCE):
        part = ",".join(wanted[first : first + _NUMBERED_AT_ONCE])
        rows += yield from fetch_all(_pages(dataset, columns, part))
    return rows


def _pages(dataset: Identified, columns: Sequence[str], numbers: str | None) -> PageOf:
    """Return what requests a page of rows, of all or of those with these numbers."""
    named, numbered = list(columns) or UNSET, unless_none(numbers)
    return lambda size, cursor: list_rows(id_of(dataset), limit=size, cursor=cursor, columns=named, rows=numbered)


def _pages_where(
    dataset: Identified, columns: Sequence[str], where: Mapping[str, Wanted], numbers: Sequence[int] | None
) -> PageOf:
    """Return what requests a page of the rows that have a value in a column, or a number in a range."""
    if len(where) != 1 or numbers is not None:
        message = "where names one column, and no numbers of rows beside it; ask for one, then choose among the rows"
        raise ValueError(message)
    ((column, wanted),) = where.items()
    ends = {"at_least": wanted[0], "at_most": wanted[1]} if isinstance(wanted, tuple) else {}
    found: dict[str, Any] = {name: end for name, end in ends.items() if end is not None}
    if not isinstance(wanted, tuple):
        found = {"value": str(wanted).lower() if isinstance(wanted, bool) else str(wanted)}
    named = list(columns) or UNSET
    return lambda size, cursor: list_rows(
        id_of(dataset), limit=size, cursor=cursor, columns=named, where=column, **found
    )


def _dictionary(self: Connected, dataset: Identified) -> Program[Dictionary]:  # a method
    """Return the words for a dataset's features and outcomes.

    Raises
    ------
    NotFound
        If it has none.
    """
    del self
    return (yield from fetch(get_dictionary(id_of(dataset))))


def _put_dictionary(
    self: Connected,
    dataset: Identified,
    dictionary: Any,  # see ``read_dictionary``
    *,
    expected: Dictionary | None = None,
) -> Program[Dictionary]:
    """Replace the words for a dataset's features and outcomes: explanations use them within two seconds.

    Parameters
    ----------
    dictionary
        The words: a dict, a DataFrame with ``attrs``, or the path of a table schema or a CSV file; see
        ``leafspace_client.read_dictionary``.
    expected
        The dictionary as you read it: where somebody changed it meanwhile, nothing is changed.

    Raises
    ------
    Invalid
        Naming the entry that does not fit the dataset, or contradicts another.
    """
    words = yield Work(partial(read_dictionary, dictionary))
    return (yield from put_words(self, id_of(dataset), words, expected))


def put_words(
    connected: Connected, dataset: str, words: DictionaryRequest, expected: Dictionary | None = None
) -> Program[Dictionary]:
    """Replace the words for a dataset, which pictures then show."""
    tag = UNSET if expected is None else f'"{expected.revision}"'
    put = yield from fetch(put_dictionary(dataset, body=words, if_match=tag))
    transport_of(connected).known_documents.remember((yield from read_again(dataset)))
    return put


def read_again(dataset: str) -> Program[Dataset]:
    """Read a registered dataset, with the words that it is shown with now."""
    return (yield from fetch(get_dataset(dataset)))


def _delete_dictionary(self: Connected, dataset: Identified) -> Program[None]:
    """Delete the words for a dataset: its features are called by their names."""
    yield call_of(delete_dictionary(id_of(dataset)))
    transport_of(self).known_documents.remember((yield from read_again(id_of(dataset))))


class Datasets(SyncDeletable[Dataset, Dataset, DatasetSummary], _RegistersSources[SourceRegistration]):
    """All datasets, newest first; lists yield summaries, and ``get`` takes one for the whole dataset."""

    noun = DATASETS
    registration = SourceRegistration
    register_source = blocking(_register_source)
    rename = blocking(rename_one)
    rows = blocking(_rows)
    dictionary = blocking(_dictionary)
    put_dictionary = blocking(_put_dictionary)
    delete_dictionary = blocking(_delete_dictionary)


class AsyncDatasets(AsyncDeletable[Dataset, Dataset, DatasetSummary], _RegistersSources[AsyncSourceRegistration]):
    """All datasets, newest first; lists yield summaries, and ``get`` takes one for the whole dataset."""

    noun = DATASETS
    registration = AsyncSourceRegistration
    register_source = awaitable(_register_source)
    rename = awaitable(rename_one)
    rows = awaitable(_rows)
    dictionary = awaitable(_dictionary)
    put_dictionary = awaitable(_put_dictionary)
    delete_dictionary = awaitable(_delete_dictionary)
