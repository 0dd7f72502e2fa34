from http import HTTPStatus
from typing import Any
from urllib.parse import quote

import httpx

from ... import errors
from ...client import AuthenticatedClient, Client
from ...models.page_label_decision import PageLabelDecision
from ...models.problem import Problem
from ...types import UNSET, Response, Unset


def _get_kwargs(
    label_audit_id: str,
    *,
    row: int | None | Unset = UNSET,
    latest: bool | Unset = False,
    limit: int | Unset = 50,
    cursor: None | str | Unset = UNSET,
) -> dict[str, Any]:

    params: dict[str, Any] = {}

    json_row: int | None | Unset
    if isinstance(row, Unset):
        json_row = UNSET
    else:
        json_row = row
    params["row"] = json_row

    params["latest"] = latest

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
        "url": "/v1/label-audits/{label_audit_id}/decisions".format(
            label_audit_id=quote(str(label_audit_id), safe=""),
        ),
        "params": params,
    }

    return _kwargs


def _parse_response(
    *, client: AuthenticatedClient | Client, response: httpx.Response
) -> PageLabelDecision | Problem | None:
    if response.status_code == 200:
        response_200 = PageLabelDecision.from_dict(response.json())

        return response_200

    if response.status_code == 401:
        response_401 = Problem.from_dict(response.json())

        return response_401

    if response.status_code == 403:
        response_403 = Problem.from_dict(response.json())

        return response_403

    if response.status_code == 404:
        response_404 = Problem.from_dict(response.json())

        return response_404

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
) -> Response[PageLabelDecision | Problem]:
    return Response(
        status_code=HTTPStatus(response.status_code),
        content=response.content,
        headers=response.headers,
        parsed=_parse_response(client=client, response=response),
    )


def sync_detailed(
    label_audit_id: str,
    *,
    client: AuthenticatedClient,
    row: int | None | Unset = UNSET,
    latest: bool | Unset = False,
    limit: int | Unset = 50,
    cursor: None | str | Unset = UNSET,
) -> Response[PageLabelDecision | Problem]:
    """List Label Decisions

     List what was decided, by whom and when, newest first: every entry, with those that later ones
    replaced.

    Args:
        label_audit_id (str):
        row (int | None | Unset): Only entries about this row.
        latest (bool | Unset): Only decisions in force: the newest of each row. Default: False.
        limit (int | Unset): Maximum number of items of the page, which may have fewer. Default:
            50.
        cursor (None | str | Unset): Cursor: `next_cursor` of the previous page; default: the
            first page.

    Raises:
        errors.UnexpectedStatus: If the server returns an undocumented status code and Client.raise_on_unexpected_status is True.
        httpx.TimeoutException: If the request takes longer than Client.timeout.

    Returns:
        Response[PageLabelDecision | Problem]
    """

    kwargs = _get_kwargs(
        label_audit_id=label_audit_id,
        row=row,
        latest=latest,
        limit=limit,
        cursor=cursor,
    )

    response = client.get_httpx_client().request(
        **kwargs,
    )

    return _build_response(client=client, response=response)


def sync(
    label_audit_id: str,
    *,
    client: AuthenticatedClient,
    row: int | None | Unset = UNSET,
    latest: bool | Unset = False,
    limit: int | Unset = 50,
    cursor: None | str | Unset = UNSET,
) -> PageLabelDecision | Problem | None:
    """List Label Decisions

     List what was decided, by whom and when, newest first: every entry, with those that later ones
    replaced.

    Args:
        label_audit_id (str):
        row (int | None | Unset): Only entries about this row.
        latest (bool | Unset): Only decisions in force: the newest of each row. Default: False.
        limit (int | Unset): Maximum number of items of the page, which may have fewer. Default:
            50.
        cursor (None | str | Unset): Cursor: `next_cursor` of the previous page; default: the
            first page.

    Raises:
        errors.UnexpectedStatus: If the server returns an undocumented status code and Client.raise_on_unexpected_status is True.
        httpx.TimeoutException: If the request takes longer than Client.timeout.

    Returns:
        PageLabelDecision | Problem
    """

    return sync_detailed(
        label_audit_id=label_audit_id,
        client=client,
        row=row,
        latest=latest,
        limit=limit,
        cursor=cursor,
    ).parsed


async def asyncio_detailed(
    label_audit_id: str,
    *,
    client: AuthenticatedClient,
    row: int | None | Unset = UNSET,
    latest: bool | Unset = False,
    limit: int | Unset = 50,
    cursor: None | str | Unset = UNSET,
) -> Response[PageLabelDecision | Problem]:
    """List Label Decisions

     List what was decided, by whom and when, newest first: every entry, with those that later ones
    replaced.

    Args:
        label_audit_id (str):
        row (int | None | Unset): Only entries about this row.
        latest (bool | Unset): Only decisions in force: the newest of each row. Default: False.
        limit (int | Unset): Maximum number of items of the page, which may have fewer. Default:
            50.
        cursor (None | str | Unset): Cursor: `next_cursor` of the previous page; default: the
            first page.

    Raises:
        errors.UnexpectedStatus: If the server returns an undocumented status code and Client.raise_on_unexpected_status is True.
        httpx.TimeoutException: If the request takes longer than Client.timeout.

    Returns:
        Response[PageLabelDecision | Problem]
    """

    kwargs = _get_kwargs(
        label_audit_id=label_audit_id,
        row=row,
        latest=latest,
        limit=limit,
        cursor=cursor,
    )

    response = await client.get_async_httpx_client().request(**kwargs)

    return _build_response(client=client, response=response)


async def asyncio(
    label_audit_id: str,
    *,
    client: AuthenticatedClient,
    row: int | None | Unset = UNSET,
    latest: bool | Unset = False,
    limit: int | Unset = 50,
    cursor: None | str | Unset = UNSET,
) -> PageLabelDecision | Problem | None:
    """List Label Decisions

     List what was decided, by whom and when, newest first: every entry, with those that later ones
    replaced.

    Args:
        label_audit_id (str):
        row (int | None | Unset): Only entries about this row.
        latest (bool | Unset): Only decisions in force: the newest of each row. Default: False.
        limit (int | Unset): Maximum number of items of the page, which may have fewer. Default:
            50.
        cursor (None | str | Unset): Cursor: `next_cursor` of the previous page; default: the
            first page.

    Raises:
        errors.UnexpectedStatus: If the server returns an undocumented status code and Client.raise_on_unexpected_status is True.
        httpx.TimeoutException: If the request takes longer than Client.timeout.

    Returns:
        PageLabelDecision | Problem
    """

    return (
        await asyncio_detailed(
            label_audit_id=label_audit_id,
            client=client,
            row=row,
            latest=latest,
            limit=limit,
            cursor=cursor,
        )
    ).parsed
