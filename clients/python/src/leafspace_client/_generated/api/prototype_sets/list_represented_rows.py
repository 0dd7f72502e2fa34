from http import HTTPStatus
from typing import Any, cast
from urllib.parse import quote

import httpx

from ... import errors
from ...client import AuthenticatedClient, Client
from ...models.page_represented_row import PageRepresentedRow
from ...models.problem import Problem
from ...types import UNSET, Response, Unset


def _get_kwargs(
    prototype_set_id: str,
    *,
    rank: int,
    limit: int | Unset = 50,
    cursor: None | str | Unset = UNSET,
    if_none_match: str | Unset = UNSET,
) -> dict[str, Any]:
    headers: dict[str, Any] = {}
    if not isinstance(if_none_match, Unset):
        headers["If-None-Match"] = if_none_match

    params: dict[str, Any] = {}

    params["rank"] = rank

    params["limit"] = limit

    json_cursor: None | str | Unset
    if isinstance(cursor, Unset):
        json_cursor = UNSET
    else:
        json_cursor = cursor
    params["cursor"] = json_cursor

    params = {k: v for k, v in params.items() if v is not UNSET and v is not None}

    _kwargs: dict[str, Any] = {
        "method": "get",
        "url": "/v1/prototype-sets/{prototype_set_id}/rows".format(
            prototype_set_id=quote(str(prototype_set_id), safe=""),
        ),
        "params": params,
    }

    _kwargs["headers"] = headers
    return _kwargs


def _parse_response(
    *, client: AuthenticatedClient | Client, response: httpx.Response
) -> Any | PageRepresentedRow | Problem | None:
    if response.status_code == 200:
        response_200 = PageRepresentedRow.from_dict(response.json())

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

    if response.status_code == 409:
        response_409 = Problem.from_dict(response.json())

        return response_409

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
) -> Response[Any | PageRepresentedRow | Problem]:
    return Response(
        status_code=HTTPStatus(response.status_code),
        content=response.content,
        headers=response.headers,
        parsed=_parse_response(client=client, response=response),
    )


def sync_detailed(
    prototype_set_id: str,
    *,
    client: AuthenticatedClient,
    rank: int,
    limit: int | Unset = 50,
    cursor: None | str | Unset = UNSET,
    if_none_match: str | Unset = UNSET,
) -> Response[Any | PageRepresentedRow | Problem]:
    """List Represented Rows

     Read the rows that a prototype represents, the nearest first.

    Args:
        prototype_set_id (str):
        rank (int): 1-based rank of the prototype.
        limit (int | Unset): Maximum number of items of the page, which may have fewer. Default:
            50.
        cursor (None | str | Unset): Cursor: `next_cursor` of the previous page, the 0-based index
            of the next row; default: 0.
        if_none_match (str | Unset):

    Raises:
        errors.UnexpectedStatus: If the server returns an undocumented status code and Client.raise_on_unexpected_status is True.
        httpx.TimeoutException: If the request takes longer than Client.timeout.

    Returns:
        Response[Any | PageRepresentedRow | Problem]
    """

    kwargs = _get_kwargs(
        prototype_set_id=prototype_set_id,
        rank=rank,
        limit=limit,
        cursor=cursor,
        if_none_match=if_none_match,
    )

    response = client.get_httpx_client().request(
        **kwargs,
    )

    return _build_response(client=client, response=response)


def sync(
    prototype_set_id: str,
    *,
    client: AuthenticatedClient,
    rank: int,
    limit: int | Unset = 50,
    cursor: None | str | Unset = UNSET,
    if_none_match: str | Unset = UNSET,
) -> Any | PageRepresentedRow | Problem | None:
    """List Represented Rows

     Read the rows that a prototype represents, the nearest first.

    Args:
        prototype_set_id (str):
        rank (int): 1-based rank of the prototype.
        limit (int | Unset): Maximum number of items of the page, which may have fewer. Default:
            50.
        cursor (None | str | Unset): Cursor: `next_cursor` of the previous page, the 0-based index
            of the next row; default: 0.
        if_none_match (str | Unset):

    Raises:
        errors.UnexpectedStatus: If the server returns an undocumented status code and Client.raise_on_unexpected_status is True.
        httpx.TimeoutException: If the request takes longer than Client.timeout.

    Returns:
        Any | PageRepresentedRow | Problem
    """

    return sync_detailed(
        prototype_set_id=prototype_set_id,
        client=client,
        rank=rank,
        limit=limit,
        cursor=cursor,
        if_none_match=if_none_match,
    ).parsed


async def asyncio_detailed(
    prototype_set_id: str,
    *,
    client: AuthenticatedClient,
    rank: int,
    limit: int | Unset = 50,
    cursor: None | str | Unset = UNSET,
    if_none_match: str | Unset = UNSET,
) -> Response[Any | PageRepresentedRow | Problem]:
    """List Represented Rows

     Read the rows that a prototype represents, the nearest first.

    Args:
        prototype_set_id (str):
        rank (int): 1-based rank of the prototype.
        limit (int | Unset): Maximum number of items of the page, which may have fewer. Default:
            50.
        cursor (None | str | Unset): Cursor: `next_cursor` of the previous page, the 0-based index
            of the next row; default: 0.
        if_none_match (str | Unset):

    Raises:
        errors.UnexpectedStatus: If the server returns an undocumented status code and Client.raise_on_unexpected_status is True.
        httpx.TimeoutException: If the request takes longer than Client.timeout.

    Returns:
        Response[Any | PageRepresentedRow | Problem]
    """

    kwargs = _get_kwargs(
        prototype_set_id=prototype_set_id,
        rank=rank,
        limit=limit,
        cursor=cursor,
        if_none_match=if_none_match,
    )

    response = await client.get_async_httpx_client().request(**kwargs)

    return _build_response(client=client, response=response)


async def asyncio(
    prototype_set_id: str,
    *,
    client: AuthenticatedClient,
    rank: int,
    limit: int | Unset = 50,
    cursor: None | str | Unset = UNSET,
    if_none_match: str | Unset = UNSET,
) -> Any | PageRepresentedRow | Problem | None:
    """List Represented Rows

     Read the rows that a prototype represents, the nearest first.

    Args:
        prototype_set_id (str):
        rank (int): 1-based rank of the prototype.
        limit (int | Unset): Maximum number of items of the page, which may have fewer. Default:
            50.
        cursor (None | str | Unset): Cursor: `next_cursor` of the previous page, the 0-based index
            of the next row; default: 0.
        if_none_match (str | Unset):

    Raises:
        errors.UnexpectedStatus: If the server returns an undocumented status code and Client.raise_on_unexpected_status is True.
        httpx.TimeoutException: If the request takes longer than Client.timeout.

    Returns:
        Any | PageRepresentedRow | Problem
    """

    return (
        await asyncio_detailed(
            prototype_set_id=prototype_set_id,
            client=client,
            rank=rank,
            limit=limit,
            cursor=cursor,
            if_none_match=if_none_match,
        )
    ).parsed
