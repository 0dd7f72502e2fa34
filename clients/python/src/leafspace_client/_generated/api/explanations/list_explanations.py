import datetime
from http import HTTPStatus
from typing import Any

import httpx

from ... import errors
from ...client import AuthenticatedClient, Client
from ...models.page_stored_explanation_summary import PageStoredExplanationSummary
from ...models.problem import Problem
from ...types import UNSET, Response, Unset


def _get_kwargs(
    *,
    limit: int | Unset = 50,
    cursor: None | str | Unset = UNSET,
    explainer: None | str | Unset = UNSET,
    row_id: None | str | Unset = UNSET,
    created_from: datetime.datetime | None | Unset = UNSET,
    created_before: datetime.datetime | None | Unset = UNSET,
) -> dict[str, Any]:

    params: dict[str, Any] = {}

    params["limit"] = limit

    json_cursor: None | str | Unset
    if isinstance(cursor, Unset):
        json_cursor = UNSET
    else:
        json_cursor = cursor
    params["cursor"] = json_cursor

    json_explainer: None | str | Unset
    if isinstance(explainer, Unset):
        json_explainer = UNSET
    else:
        json_explainer = explainer
    params["explainer"] = json_explainer

    json_row_id: None | str | Unset
    if isinstance(row_id, Unset):
        json_row_id = UNSET
    else:
        json_row_id = row_id
    params["row_id"] = json_row_id

    json_created_from: None | str | Unset
    if isinstance(created_from, Unset):
        json_created_from = UNSET
    elif isinstance(created_from, datetime.datetime):
        json_created_from = created_from.isoformat()
    else:
        json_created_from = created_from
    params["created_from"] = json_created_from

    json_created_before: None | str | Unset
    if isinstance(created_before, Unset):
        json_created_before = UNSET
    elif isinstance(created_before, datetime.datetime):
        json_created_before = created_before.isoformat()
    else:
        json_created_before = created_before
    params["created_before"] = json_created_before

    params = {k: v for k, v in params.items() if v is not UNSET and v is not None}

    _kwargs: dict[str, Any] = {
        "method": "get",
        "url": "/v1/explanations",
        "params": params,
    }

    return _kwargs


def _parse_response(
    *, client: AuthenticatedClient | Client, response: httpx.Response
) -> PageStoredExplanationSummary | Problem | None:
    if response.status_code == 200:
        response_200 = PageStoredExplanationSummary.from_dict(response.json())

        return response_200

    if response.status_code == 401:
        response_401 = Problem.from_dict(response.json())

        return response_401

    if response.status_code == 403:
        response_403 = Problem.from_dict(response.json())

        return response_403

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
) -> Response[PageStoredExplanationSummary | Problem]:
    return Response(
        status_code=HTTPStatus(response.status_code),
        content=response.content,
        headers=response.headers,
        parsed=_parse_response(client=client, response=response),
    )


def sync_detailed(
    *,
    client: AuthenticatedClient,
    limit: int | Unset = 50,
    cursor: None | str | Unset = UNSET,
    explainer: None | str | Unset = UNSET,
    row_id: None | str | Unset = UNSET,
    created_from: datetime.datetime | None | Unset = UNSET,
    created_before: datetime.datetime | None | Unset = UNSET,
) -> Response[PageStoredExplanationSummary | Problem]:
    """List Explanations

     List stored explanations, newest first, without their requests and responses.

    Args:
        limit (int | Unset): Maximum number of items of the page, which may have fewer. Default:
            50.
        cursor (None | str | Unset): Cursor: `next_cursor` of the previous page; default: the
            first page.
        explainer (None | str | Unset): Only explanations by this explainer: its id.
        row_id (None | str | Unset): Only explanations of rows with exactly this id.
        created_from (datetime.datetime | None | Unset): Only explanations that were made at this
            time or later (RFC 3339, with an offset).
        created_before (datetime.datetime | None | Unset): Only explanations that were made before
            this time (RFC 3339, with an offset).

    Raises:
        errors.UnexpectedStatus: If the server returns an undocumented status code and Client.raise_on_unexpected_status is True.
        httpx.TimeoutException: If the request takes longer than Client.timeout.

    Returns:
        Response[PageStoredExplanationSummary | Problem]
    """

    kwargs = _get_kwargs(
        limit=limit,
        cursor=cursor,
        explainer=explainer,
        row_id=row_id,
        created_from=created_from,
        created_before=created_before,
    )

    response = client.get_httpx_client().request(
        **kwargs,
    )

    return _build_response(client=client, response=response)


def sync(
    *,
    client: AuthenticatedClient,
    limit: int | Unset = 50,
    cursor: None | str | Unset = UNSET,
    explainer: None | str | Unset = UNSET,
    row_id: None | str | Unset = UNSET,
    created_from: datetime.datetime | None | Unset = UNSET,
    created_before: datetime.datetime | None | Unset = UNSET,
) -> PageStoredExplanationSummary | Problem | None:
    """List Explanations

     List stored explanations, newest first, without their requests and responses.

    Args:
        limit (int | Unset): Maximum number of items of the page, which may have fewer. Default:
            50.
        cursor (None | str | Unset): Cursor: `next_cursor` of the previous page; default: the
            first page.
        explainer (None | str | Unset): Only explanations by this explainer: its id.
        row_id (None | str | Unset): Only explanations of rows with exactly this id.
        created_from (datetime.datetime | None | Unset): Only explanations that were made at this
            time or later (RFC 3339, with an offset).
        created_before (datetime.datetime | None | Unset): Only explanations that were made before
            this time (RFC 3339, with an offset).

    Raises:
        errors.UnexpectedStatus: If the server returns an undocumented status code and Client.raise_on_unexpected_status is True.
        httpx.TimeoutException: If the request takes longer than Client.timeout.

    Returns:
        PageStoredExplanationSummary | Problem
    """

    return sync_detailed(
        client=client,
        limit=limit,
        cursor=cursor,
        explainer=explainer,
        row_id=row_id,
        created_from=created_from,
        created_before=created_before,
    ).parsed


async def asyncio_detailed(
    *,
    client: AuthenticatedClient,
    limit: int | Unset = 50,
    cursor: None | str | Unset = UNSET,
    explainer: None | str | Unset = UNSET,
    row_id: None | str | Unset = UNSET,
    created_from: datetime.datetime | None | Unset = UNSET,
    created_before: datetime.datetime | None | Unset = UNSET,
) -> Response[PageStoredExplanationSummary | Problem]:
    """List Explanations

     List stored explanations, newest first, without their requests and responses.

    Args:
        limit (int | Unset): Maximum number of items of the page, which may have fewer. Default:
            50.
        cursor (None | str | Unset): Cursor: `next_cursor` of the previous page; default: the
            first page.
        explainer (None | str | Unset): Only explanations by this explainer: its id.
        row_id (None | str | Unset): Only explanations of rows with exactly this id.
        created_from (datetime.datetime | None | Unset): Only explanations that were made at this
            time or later (RFC 3339, with an offset).
        created_before (datetime.datetime | None | Unset): Only explanations that were made before
            this time (RFC 3339, with an offset).

    Raises:
        errors.UnexpectedStatus: If the server returns an undocumented status code and Client.raise_on_unexpected_status is True.
        httpx.TimeoutException: If the request takes longer than Client.timeout.

    Returns:
        Response[PageStoredExplanationSummary | Problem]
    """

    kwargs = _get_kwargs(
        limit=limit,
        cursor=cursor,
        explainer=explainer,
        row_id=row_id,
        created_from=created_from,
        created_before=created_before,
    )

    response = await client.get_async_httpx_client().request(**kwargs)

    return _build_response(client=client, response=response)


async def asyncio(
    *,
    client: AuthenticatedClient,
    limit: int | Unset = 50,
    cursor: None | str | Unset = UNSET,
    explainer: None | str | Unset = UNSET,
    row_id: None | str | Unset = UNSET,
    created_from: datetime.datetime | None | Unset = UNSET,
    created_before: datetime.datetime | None | Unset = UNSET,
) -> PageStoredExplanationSummary | Problem | None:
    """List Explanations

     List stored explanations, newest first, without their requests and responses.

    Args:
        limit (int | Unset): Maximum number of items of the page, which may have fewer. Default:
            50.
        cursor (None | str | Unset): Cursor: `next_cursor` of the previous page; default: the
            first page.
        explainer (None | str | Unset): Only explanations by this explainer: its id.
        row_id (None | str | Unset): Only explanations of rows with exactly this id.
        created_from (datetime.datetime | None | Unset): Only explanations that were made at this
            time or later (RFC 3339, with an offset).
        created_before (datetime.datetime | None | Unset): Only explanations that were made before
            this time (RFC 3339, with an offset).

    Raises:
        errors.UnexpectedStatus: If the server returns an undocumented status code and Client.raise_on_unexpected_status is True.
        httpx.TimeoutException: If the request takes longer than Client.timeout.

    Returns:
        PageStoredExplanationSummary | Problem
    """

    return (
        await asyncio_detailed(
            client=client,
            limit=limit,
            cursor=cursor,
            explainer=explainer,
            row_id=row_id,
            created_from=created_from,
            created_before=created_before,
        )
    ).parsed
