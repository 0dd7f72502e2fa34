from http import HTTPStatus
from typing import Any, cast
from urllib.parse import quote

import httpx

from ... import errors
from ...client import AuthenticatedClient, Client
from ...models.page_dataset_row import PageDatasetRow
from ...models.problem import Problem
from ...types import UNSET, Response, Unset


def _get_kwargs(
    dataset_id: str,
    *,
    limit: int | Unset = 50,
    cursor: None | str | Unset = UNSET,
    columns: list[str] | Unset = UNSET,
    rows: None | str | Unset = UNSET,
    if_none_match: str | Unset = UNSET,
) -> dict[str, Any]:
    headers: dict[str, Any] = {}
    if not isinstance(if_none_match, Unset):
        headers["If-None-Match"] = if_none_match

    params: dict[str, Any] = {}

    params["limit"] = limit

    json_cursor: None | str | Unset
    if isinstance(cursor, Unset):
        json_cursor = UNSET
    else:
        json_cursor = cursor
    params["cursor"] = json_cursor

    json_columns: list[str] | Unset = UNSET
    if not isinstance(columns, Unset):
        json_columns = columns

    params["columns"] = json_columns

    json_rows: None | str | Unset
    if isinstance(rows, Unset):
        json_rows = UNSET
    else:
        json_rows = rows
    params["rows"] = json_rows

    params = {k: v for k, v in params.items() if v is not UNSET and v is not None}

    _kwargs: dict[str, Any] = {
        "method": "get",
        "url": "/v1/datasets/{dataset_id}/rows".format(
            dataset_id=quote(str(dataset_id), safe=""),
        ),
        "params": params,
    }

    _kwargs["headers"] = headers
    return _kwargs


def _parse_response(
    *, client: AuthenticatedClient | Client, response: httpx.Response
) -> Any | PageDatasetRow | Problem | None:
    if response.status_code == 200:
        response_200 = PageDatasetRow.from_dict(response.json())

        return response_200

    if response.status_code == 304:
        response_304 = cast(Any, None)
        return response_304

    if response.status_code == 401:
        response_401 = Problem.from_dict(response.json())

        return response_401

    if response.status_code == 403:
        response_403 = Problem.from_dict(response.json())

        return response_403

    if response.status_code == 404:
        response_404 = Problem.from_dict(response.json())

        return response_404

    if response.status_code == 406:
        response_406 = Problem.from_dict(response.json())

        return response_406

    if response.status_code == 413:
        response_413 = Problem.from_dict(response.json())

        return response_413

    if response.status_code == 422:
        response_422 = Problem.from_dict(response.json())

        return response_422

    if response.status_code == 429:
        response_429 = Problem.from_dict(response.json())

        return response_429

    if response.status_code == 503:
        response_503 = Problem.from_dict(response.json())

        return response_503

    if client.raise_on_unexpected_status:
        raise errors.UnexpectedStatus(response.status_code, response.content)
    else:
        return None


def _build_response(
    *, client: AuthenticatedClient | Client, response: httpx.Response
) -> Response[Any | PageDatasetRow | Problem]:
    return Response(
        status_code=HTTPStatus(response.status_code),
        content=response.content,
        headers=response.headers,
        parsed=_parse_response(client=client, response=response),
    )


def sync_detailed(
    dataset_id: str,
    *,
    client: AuthenticatedClient,
    limit: int | Unset = 50,
    cursor: None | str | Unset = UNSET,
    columns: list[str] | Unset = UNSET,
    rows: None | str | Unset = UNSET,
    if_none_match: str | Unset = UNSET,
) -> Response[Any | PageDatasetRow | Problem]:
    """List Rows

     Read a dataset's rows in their order as JSON, page by page, or all as Parquet, as `Accept` says.

    Args:
        dataset_id (str):
        limit (int | Unset): Maximum number of items of the page, which may have fewer. Default:
            50.
        cursor (None | str | Unset): Cursor: `next_cursor` of the previous page, the 0-based index
            of the next row; default: 0.
        columns (list[str] | Unset): Names of the columns to read, one each (default: all). JSON
            alone.
        rows (None | str | Unset): Numbers of the rows to read, counted from 0 and separated by
            commas, in any order (1 to 100; default: all rows, page by page). `cursor` is then a place
            among these. JSON alone.
        if_none_match (str | Unset):

    Raises:
        errors.UnexpectedStatus: If the server returns an undocumented status code and Client.raise_on_unexpected_status is True.
        httpx.TimeoutException: If the request takes longer than Client.timeout.

    Returns:
        Response[Any | PageDatasetRow | Problem]
    """

    kwargs = _get_kwargs(
        dataset_id=dataset_id,
        limit=limit,
        cursor=cursor,
        columns=columns,
        rows=rows,
        if_none_match=if_none_match,
    )

    response = client.get_httpx_client().request(
        **kwargs,
    )

    return _build_response(client=client, response=response)


def sync(
    dataset_id: str,
    *,
    client: AuthenticatedClient,
    limit: int | Unset = 50,
    cursor: None | str | Unset = UNSET,
    columns: list[str] | Unset = UNSET,
    rows: None | str | Unset = UNSET,
    if_none_match: str | Unset = UNSET,
) -> Any | PageDatasetRow | Problem | None:
    """List Rows

     Read a dataset's rows in their order as JSON, page by page, or all as Parquet, as `Accept` says.

    Args:
        dataset_id (str):
        limit (int | Unset): Maximum number of items of the page, which may have fewer. Default:
            50.
        cursor (None | str | Unset): Cursor: `next_cursor` of the previous page, the 0-based index
            of the next row; default: 0.
        columns (list[str] | Unset): Names of the columns to read, one each (default: all). JSON
            alone.
        rows (None | str | Unset): Numbers of the rows to read, counted from 0 and separated by
            commas, in any order (1 to 100; default: all rows, page by page). `cursor` is then a place
            among these. JSON alone.
        if_none_match (str | Unset):

    Raises:
        errors.UnexpectedStatus: If the server returns an undocumented status code and Client.raise_on_unexpected_status is True.
        httpx.TimeoutException: If the request takes longer than Client.timeout.

    Returns:
        Any | PageDatasetRow | Problem
    """

    return sync_detailed(
        dataset_id=dataset_id,
        client=client,
        limit=limit,
        cursor=cursor,
        columns=columns,
        rows=rows,
        if_none_match=if_none_match,
    ).parsed


async def asyncio_detailed(
    dataset_id: str,
    *,
    client: AuthenticatedClient,
    limit: int | Unset = 50,
    cursor: None | str | Unset = UNSET,
    columns: list[str] | Unset = UNSET,
    rows: None | str | Unset = UNSET,
    if_none_match: str | Unset = UNSET,
) -> Response[Any | PageDatasetRow | Problem]:
    """List Rows

     Read a dataset's rows in their order as JSON, page by page, or all as Parquet, as `Accept` says.

    Args:
        dataset_id (str):
        limit (int | Unset): Maximum number of items of the page, which may have fewer. Default:
            50.
        cursor (None | str | Unset): Cursor: `next_cursor` of the previous page, the 0-based index
            of the next row; default: 0.
        columns (list[str] | Unset): Names of the columns to read, one each (default: all). JSON
            alone.
        rows (None | str | Unset): Numbers of the rows to read, counted from 0 and separated by
            commas, in any order (1 to 100; default: all rows, page by page). `cursor` is then a place
            among these. JSON alone.
        if_none_match (str | Unset):

    Raises:
        errors.UnexpectedStatus: If the server returns an undocumented status code and Client.raise_on_unexpected_status is True.
        httpx.TimeoutException: If the request takes longer than Client.timeout.

    Returns:
        Response[Any | PageDatasetRow | Problem]
    """

    kwargs = _get_kwargs(
        dataset_id=dataset_id,
        limit=limit,
        cursor=cursor,
        columns=columns,
        rows=rows,
        if_none_match=if_none_match,
    )

    response = await client.get_async_httpx_client().request(**kwargs)

    return _build_response(client=client, response=response)


async def asyncio(
    dataset_id: str,
    *,
    client: AuthenticatedClient,
    limit: int | Unset = 50,
    cursor: None | str | Unset = UNSET,
    columns: list[str] | Unset = UNSET,
    rows: None | str | Unset = UNSET,
    if_none_match: str | Unset = UNSET,
) -> Any | PageDatasetRow | Problem | None:
    """List Rows

     Read a dataset's rows in their order as JSON, page by page, or all as Parquet, as `Accept` says.

    Args:
        dataset_id (str):
        limit (int | Unset): Maximum number of items of the page, which may have fewer. Default:
            50.
        cursor (None | str | Unset): Cursor: `next_cursor` of the previous page, the 0-based index
            of the next row; default: 0.
        columns (list[str] | Unset): Names of the columns to read, one each (default: all). JSON
            alone.
        rows (None | str | Unset): Numbers of the rows to read, counted from 0 and separated by
            commas, in any order (1 to 100; default: all rows, page by page). `cursor` is then a place
            among these. JSON alone.
        if_none_match (str | Unset):

    Raises:
        errors.UnexpectedStatus: If the server returns an undocumented status code and Client.raise_on_unexpected_status is True.
        httpx.TimeoutException: If the request takes longer than Client.timeout.

    Returns:
        Any | PageDatasetRow | Problem
    """

    return (
        await asyncio_detailed(
            dataset_id=dataset_id,
            client=client,
            limit=limit,
            cursor=cursor,
            columns=columns,
            rows=rows,
            if_none_match=if_none_match,
        )
    ).parsed
