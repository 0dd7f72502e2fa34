"""The client: one object that speaks to one service, blocking or async, with the same methods."""

from collections.abc import Mapping, Sequence
from functools import partial
from types import TracebackType
from typing import Any, Self

import leafspace_client  # of which types of answers are imported when they are looked up

from .api_keys import fetch_me
from .arguments import checked
from .calls import Connected, Program, ServiceVersion, Work, awaitable, blocking, fetch_version, transport_of
from .client_collections import AwaitableClient, BlockingClient, Collections
from .conversion import convert_model
from .conversion.decisions import decision_document
from .conversion.declared import Declared
from .conversion.estimators import Ensemble
from .datasets import put_words, read_again
from .datasets import register as send_dataset
from .dictionaries import read_dictionary
from .labels import KnownLabels
from .models import register as send_model
from .nouns import Identified
from .records import warned_of_ignored
from .relational_datasets import (
    AsyncRelationalDataset,
    AsyncRelationalDatasets,
    HasRelationalDatasets,
    RelationalDataset,
    RelationalDatasets,
    register_tables,
)
from .remedies import named_by_remedies
from .retrying import RetryPolicy
from .showing import show
from .tables import TableNames, table_file
from .transports import AsyncTransport, Connection, SyncTransport
from .types import Dataset, Decision, Model

DEFAULT_URL = "http://127.0.0.1:8000"


def _register_model(  # what may be declared of a model
    self: Connected,
    model: Any,  # an estimator of any library, or ONNX
    X: Any = None,  # noqa: N803  # a DataFrame or an array; the name that scikit-learn uses
    *,
    name: str | None = None,
    feature_names: Sequence[str] | None = None,
    classes: Sequence[Any] | None = None,
    ensemble: Ensemble | None = None,
    feature_groups: Sequence[dict[str, Any]] | None = None,
    parity: bool = True,
    oracle_only: bool = False,
    decision: Mapping[str, Any] | Decision | None = None,
) -> Program[Model]:
    """Register a fitted model; the same model again gives the same registration.

    Parameters
    ----------
    model
        A fitted estimator of scikit-learn (also pipelines), XGBoost, LightGBM or CatBoost, which is converted to ONNX
        here; or ONNX as bytes, path or ``ModelProto``. Nothing is pickled.
    X : (n_rows, n_features)
        Raw rows such as those that the model was fitted on: they give names and types of columns, and up to 100 of
        them are sent with the library's own predictions, so that the service can prove that it predicts the same.
    feature_names
        Names in the order of the columns; default: those of the DataFrame, or those that the model was fitted with.
    classes
        Labels in the order of the scores; default: the model's own. The service has labels as text: 0 becomes
        ``"0"`` and True ``"true"``. Explanations and predictions of this client give them as they are here.
    ensemble
        ``"random_forest"`` (trees are averaged), ``"boosting"`` (added) or ``"other"``; default: by the model's class.
    feature_groups
        One-hot columns that belong together: ``[{"feature", "columns": [{"column", "category"}]}]``.
    parity
        Send rows for the proof.
    oracle_only
        Register any classifier or regressor for its predictions alone: networks, linear models, support vectors,
        stacks. Approximation trees can be made of it, and nothing that needs leaves. A classifier without
        probabilities scores 1 for the label that it predicts and 0 for others.
    decision
        How a score becomes an outcome: ``{"score_of": "bad", "bands": {"approve": 0.12, "refer": 0.35, "decline":
        None}}``, with the upper end of each band, which is the next one's; with ``"adverse": ["decline"]`` the outcomes
        of which people are owed reasons. Default: the cut-off of the estimator, if it has one, else the predicted
        class.

    Raises
    ------
    CannotConvert
        Naming what in the model has no counterpart in ONNX.
    MissingExtra
        Naming the command that installs what is missing.
    Invalid
        With the code and the detail of what the service refuses, such as ``model_parity_failed``.
    """
    declared = Declared(
        name,
        feature_names,
        classes,
        ensemble,
        tuple(feature_groups or ()),
        oracle_only=oracle_only,
        decision=decision_document(decision),
    )
    converted = yield Work(partial(convert_model, model, X, declared, parity=parity))
    registered = yield from send_model(converted, transport_of(self).labels)
    transport_of(self).known_documents.remember(registered)
    return registered


def _register_dataset(  # what may be declared of a table
    self: Connected,
    data: Any,  # a DataFrame, arrays, rows or a path
    *,
    name: str | None = None,
    target: str | None = None,
    row_id: str | None = None,
    features: Sequence[str] | None = None,
    columns: Sequence[Mapping[str, Any]] = (),
    images: Sequence[Mapping[str, Any]] = (),
    categories: Sequence[str] = (),
    missing_values: Sequence[str | float] = (),
    separator: str | None = None,
    held_out: bool = False,
    dictionary: Any = None,  # see ``read_dictionary``
) -> Program[Dataset]:
    """Register a table of reference rows; the same table again gives the same registration.

    Parameters
    ----------
    data
        A DataFrame; a pair ``(X, y)`` of arrays; one array; a list of dicts; a dict of columns; or a CSV, Parquet or
        JSON file, which is sent as it is: its path, its bytes, or the open file. Columns that hold other than numbers,
        texts and booleans, such as lists, are left out: the dataset's ``ignored_columns`` names them.
    target
        The column with the labels or values to predict; the name for ``y`` (default ``"target"``) in a pair.
    row_id
        The column with the rows' ids, each another one; default: the index of a DataFrame, unless that only counts
        the rows (0, 1, …), else the rows' 0-based indices. Answers about a row name it by this id.
    features
        Column names in the order of the model; default: all but target and row id. For arrays these are the names of
        the columns (default ``x0``, ``x1``, …).
    columns
        What columns mean, for people: ``[{"name": "age", "title": "Age", "unit": "years", "description": "…"}]``.
    images
        Images that rows hold: ``[{"columns": names, "width": 28, "height": 28}]``, line by line from the top;
        ``"channels": 3`` for red, green and blue side by side, ``"highest"`` the value of white (default 255).
    categories
        Columns whose values are texts, even where they look like numbers or truth values (``01234``, ``True``), which
        CSV cannot say.
    missing_values
        What the table holds where a value is missing, such as ``["?", -999]``, in all columns but the row ids; numbers
        count by their value.
    separator
        What separates the cells of a CSV file: ``","``, ``";"``, a tab or ``"|"``; default: what its header shows.
    dictionary
        The words for its features and outcomes, which can be replaced later (``client.datasets.put_dictionary``): a
        dict, a DataFrame with ``attrs``, or the path of a table schema or a CSV file; see
        ``leafspace_client.read_dictionary``. Default: it keeps the one that it has.
    """
    words = None if dictionary is None else (yield Work(partial(read_dictionary, dictionary)))
    names = TableNames.checked(
        target,
        row_id,
        features,
        categories,
        columns=columns,
        images=images,
        missing_values=[missing_values] if isinstance(missing_values, str) else missing_values,
        separator=separator,
        held_out=held_out,
    )
    file, names = yield Work(partial(table_file, data, names))
    try:
        registered = yield from send_dataset(file, name, names)
    finally:
        file.content.close()
    if words is not None:
        yield from put_words(self, registered.id, words)
        registered = yield from read_again(registered.id)
    transport_of(self).known_documents.remember(registered)
    warned_of_ignored(registered.ignored_columns or (), "they hold other than numbers, texts and booleans")
    return registered


def _version(self: Connected) -> Program[ServiceVersion]:  # a method
    """Return which release of Leafspace answers, and the oldest release of this package that it supports."""
    return (yield from fetch_version())


@named_by_remedies
class Leafspace(BlockingClient, Collections, HasRelationalDatasets[RelationalDataset]):
    """A Leafspace service, called by blocking methods; threads may share a client.

    A client can be pickled, as can what it returns: the pickle holds the address, ids and labels, never a key, which is
    read from ``LEAFSPACE_API_KEY`` when the pickle is loaded.

    Parameters
    ----------
    base_url
        Where the service listens; default: ``"http://127.0.0.1:8000"``.
    api_key
        A key, where the service requires one; default: that in ``LEAFSPACE_API_KEY``. It is never shown.
    timeout
        Seconds to wait for one answer; waiting for a job may take longer. A call that took longer is not tried again.
    retries
        How long a call is tried again when the service is busy, restarting or out of reach; default: 45 seconds, and 2
        seconds while nothing has ever answered at ``base_url``.

    Raises
    ------
    Invalid
        If ``base_url`` has no ``http://`` or ``https://``, or the key holds characters that no key has, such as
        a line break.
    """

    relational_datasets: RelationalDatasets

    def __init__(
        self,
        base_url: str = DEFAULT_URL,
        api_key: str | None = None,
        *,
        timeout: float = 60.0,
        retries: RetryPolicy | None = None,
    ) -> None:
        self._transport = SyncTransport(Connection.checked(base_url, api_key, timeout, retries))
        self.relational_datasets = RelationalDatasets(self._transport)

    version = blocking(_version)
    me = blocking(fetch_me)
    register_model = blocking(_register_model)
    register_dataset = blocking(_register_dataset)
    register_relational_dataset = blocking(register_tables)
    show = blocking(show)

    @checked
    def compare(
        self,
        one: Identified,
        other: Identified,
        *,
        on: Identified | None = None,
        by: Identified | None = None,
        max_regions: int = 5,
        seed: int = 0,
    ) -> "leafspace_client.Comparison":
        """Request a comparison of two models ``on`` a dataset, or of two datasets ``by`` a model.

        Call ``wait()`` on what is returned.

        Parameters
        ----------
        seed : of the comparison
        """
        return self.comparisons.between(one, other, on=on, by=by, max_regions=max_regions, seed=seed)

    def __reduce__(self) -> tuple[Any, ...]:
        return _unpickled, (Leafspace, self._transport.connection, self._transport.labels)

    def __repr__(self) -> str:
        return f"Leafspace({self._transport.connection.base_url!r})"

    def close(self) -> None:
        """Close the connections; ``with Leafspace(…) as client`` does it by itself."""
        self._transport.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self.close()


class AsyncLeafspace(AwaitableClient, Collections, HasRelationalDatasets[AsyncRelationalDataset]):
    """A Leafspace service, called by coroutines."""

    relational_datasets: AsyncRelationalDatasets

    def __init__(
        self,
        base_url: str = DEFAULT_URL,
        api_key: str | None = None,
        *,
        timeout: float = 60.0,
        retries: RetryPolicy | None = None,
    ) -> None:
        self._transport = AsyncTransport(Connection.checked(base_url, api_key, timeout, retries))
        self.relational_datasets = AsyncRelationalDatasets(self._transport)

    version = awaitable(_version)
    me = awaitable(fetch_me)
    register_model = awaitable(_register_model)
    register_dataset = awaitable(_register_dataset)
    register_relational_dataset = awaitable(register_tables)
    show = awaitable(show)

    @checked
    async def compare(
        self,
        one: Identified,
        other: Identified,
        *,
        on: Identified | None = None,
        by: Identified | None = None,
        max_regions: int = 5,
        seed: int = 0,
    ) -> "leafspace_client.AsyncComparison":
        """Request a comparison of two models ``on`` a dataset, or of two datasets ``by`` a model.

        Call ``wait()`` on what is returned.

        Parameters
        ----------
        seed : of the comparison
        """
        return await self.comparisons.between(one, other, on=on, by=by, max_regions=max_regions, seed=seed)

    def __reduce__(self) -> tuple[Any, ...]:
        return _unpickled, (AsyncLeafspace, self._transport.connection, self._transport.labels)

    def __repr__(self) -> str:
        return f"AsyncLeafspace({self._transport.connection.base_url!r})"

    async def close(self) -> None:
        """Close the connections; ``async with AsyncLeafspace(…) as client`` does it by itself."""
        await self._transport.close()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        await self.close()


if Leafspace.__doc__ and AsyncLeafspace.__doc__:  # neither with -OO; the parameters are the same
    AsyncLeafspace.__doc__ += f"\n{Leafspace.__doc__.partition(chr(10))[2]}"


def _unpickled(kind: type[Any], connection: Connection, labels: KnownLabels) -> Any:  # either client
    client = kind(
        connection.base_url, connection.api_key or "", timeout=connection.timeout_seconds, retries=connection.retries
    )
    transport_of(client).labels = labels
    return client
