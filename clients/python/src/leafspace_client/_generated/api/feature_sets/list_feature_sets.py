from http import HTTPStatus
from typing import Any

import httpx

from ... import errors
from ...client import AuthenticatedClient, Client
from ...models.page_feature_set import PageFeatureSet
from ...models.problem import Problem
from ...types import UNSET, Response, Unset


def _get_kwargs(
    *,
    limit: int | Unset = 50,
    cursor: None | str | Unset = UNSET,
    relational_dataset: None | str | Unset = UNSET,
    status: None | str | Unset = UNSET,
) -> dict[str, Any]:

    params: dict[str, Any] = {}

    params["limit"] = limit

    json_cursor: None | str | Unset
    if isinstance(cursor, Unset):
        json_cursor = UNSET
    else:
        json_cursor = cursor
    params["cursor"] = json_cursor

    json_relational_dataset: None | str | Unset
    if isinstance(relational_dataset, Unset):
        json_relational_dataset = UNSET
    else:
        json_relational_dataset = relational_dataset
    params["relational_dataset"] = json_relational_dataset

    json_status: None | str | Unset
    if isinstance(status, Unset):
        json_status = UNSET
    else:
        json_status = status
    params["status"] = json_status

    params = {k: v for k, v in params.items() if v is not UNSET and v is not None}

    _kwargs: dict[str, Any] = {
        "method": "get",
        "url": "/v1/feature-sets",
        "params": params,
    }

    return _kwargs


def _parse_response(
    *, client: AuthenticatedClient | Client, response: httpx.Response
) -> PageFeatureSet | Problem | None:
    if response.status_code == 200:
        response_200 = PageFeatureSet.from_dict(response.json())

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
) -> Response[PageFeatureSet | Problem]:
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
    relational_dataset: None | str | Unset = UNSET,
    status: None | str | Unset = UNSET,
) -> Response[PageFeatureSet | Problem]:
    """List Feature Sets

     List feature sets, newest first, without their results.

    Args:
        limit (int | Unset): Maximum number of items of the page, which may have fewer. Default:
            50.
        cursor (None | str | Unset): Cursor: `next_cursor` of the previous page; default: the
            first page.
        relational_dataset (None | str | Unset): Only feature sets that were made from this
            relational dataset: its id.
        status (None | str | Unset): Only feature sets of this status.

    Raises:
        errors.UnexpectedStatus: If the server returns an undocumented status code and Client.raise_on_unexpected_status is True.
        httpx.TimeoutException: If the request takes longer than Client.timeout.

    Returns:
        Response[PageFeatureSet | Problem]
    """

    kwargs = _get_kwargs(
        limit=limit,
        cursor=cursor,
        relational_dataset=relational_dataset,
        status=status,
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
    relational_dataset: None | str | Unset = UNSET,
    status: None | str | Unset = UNSET,
) -> PageFeatureSet | Problem | None:
    """List Feature Sets

     List feature sets, newest first, without their results.

    Args:
        limit (int | Unset): Maximum number of items of the page, which may have fewer. Default:
            50.
        cursor (None | str | Unset): Cursor: `next_cursor` of the previous page; default: the
            first page.
        relational_dataset (None | str | Unset): Only feature sets that were made from this
            relational dataset: its id.
        status (None | str | Unset): Only feature sets of this status.

    Raises:
        errors.UnexpectedStatus: If the server returns an undocumented status code and Client.raise_on_unexpected_status is True.
        httpx.TimeoutException: If the request takes longer than Client.timeout.

    Returns:
        PageFeatureSet | Problem
    """

    return sync_detailed(
        client=client,
        limit=limit,
        cursor=cursor,
        relational_dataset=relational_dataset,
        status=status,
    ).parsed


async def asyncio_detailed(
    *,
    client: AuthenticatedClient,
    limit: int | Unset = 50,
    cursor: None | str | Unset = UNSET,
    relational_dataset: None | str | Unset = UNSET,
    status: None | str | Unset = UNSET,
) -> Response[PageFeatureSet | Problem]:
    """List Feature Sets

     List feature sets, newest first, without their results.

    Args:
        limit (int | Unset): Maximum number of items of the page, which may have fewer. Default:
            50.
        cursor (None | str | Unset): Cursor: `next_cursor` of the previous page; default: the
            first page.
        relational_dataset (None | str | Unset): Only feature sets that were made from this
            relational dataset: its id.
        status (None | str | Unset): Only feature sets of this status.

    Raises:
        errors.UnexpectedStatus: If the server returns an undocumented status code and Client.raise_on_unexpected_status is True.
        httpx.TimeoutException: If the request takes longer than Client.timeout.

    Returns:
        Response[PageFeatureSet | Problem]
    """

    kwargs = _get_kwargs(
        limit=limit,
        cursor=cursor,
        relational_dataset=relational_dataset,
        status=status,
    )

    response = await client.get_async_httpx_client().request(**kwargs)

    return _build_response(client=client, response=response)


async def asyncio(
    *,
    client: AuthenticatedClient,
    limit: int | Unset = 50,
    cursor: None | str | Unset = UNSET,
    relational_dataset: None | str | Unset = UNSET,
    status: None | str | Unset = UNSET,
) -> PageFeatureSet | Problem | None:
    """List Feature Sets

     List feature sets, newest first, without their results.

    Args:
        limit (int | Unset): Maximum number of items of the page, which may have fewer. Default:
            50.
        cursor (None | str | Unset): Cursor: `next_cursor` of the previous page; default: the
            first page.
        relational_dataset (None | str | Unset): Only feature sets that were made from this
            relational dataset: its id.
        status (None | str | Unset): Only feature sets of this status.

    Raises:
        errors.UnexpectedStatus: If the server returns an undocumented status code and Client.raise_on_unexpected_status is True.
        httpx.TimeoutException: If the request takes longer than Client.timeout.

    Returns:
        PageFeatureSet | Problem
    """

    return (
        await asyncio_detailed(
            client=client,
            limit=limit,
            cursor=cursor,
            relational_dataset=relational_dataset,
            status=status,
        )
    ).parsed
