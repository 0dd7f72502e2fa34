from http import HTTPStatus
from typing import Any

import httpx

from ... import errors
from ...client import AuthenticatedClient, Client
from ...models.page_map import PageMap
from ...models.problem import Problem
from ...types import UNSET, Response, Unset


def _get_kwargs(
    *,
    limit: int | Unset = 50,
    cursor: None | str | Unset = UNSET,
    model: None | str | Unset = UNSET,
    dataset: None | str | Unset = UNSET,
    prototype_set: None | str | Unset = UNSET,
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

    json_model: None | str | Unset
    if isinstance(model, Unset):
        json_model = UNSET
    else:
        json_model = model
    params["model"] = json_model

    json_dataset: None | str | Unset
    if isinstance(dataset, Unset):
        json_dataset = UNSET
    else:
        json_dataset = dataset
    params["dataset"] = json_dataset

    json_prototype_set: None | str | Unset
    if isinstance(prototype_set, Unset):
        json_prototype_set = UNSET
    else:
        json_prototype_set = prototype_set
    params["prototype_set"] = json_prototype_set

    json_status: None | str | Unset
    if isinstance(status, Unset):
        json_status = UNSET
    else:
        json_status = status
    params["status"] = json_status

    params = {k: v for k, v in params.items() if v is not UNSET and v is not None}

    _kwargs: dict[str, Any] = {
        "method": "get",
        "url": "/v1/maps",
        "params": params,
    }

    return _kwargs


def _parse_response(*, client: AuthenticatedClient | Client, response: httpx.Response) -> PageMap | Problem | None:
    if response.status_code == 200:
        response_200 = PageMap.from_dict(response.json())

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


def _build_response(*, client: AuthenticatedClient | Client, response: httpx.Response) -> Response[PageMap | Problem]:
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
    model: None | str | Unset = UNSET,
    dataset: None | str | Unset = UNSET,
    prototype_set: None | str | Unset = UNSET,
    status: None | str | Unset = UNSET,
) -> Response[PageMap | Problem]:
    """List Maps

     List maps, newest first, without their results.

    Args:
        limit (int | Unset): Maximum number of items of the page, which may have fewer. Default:
            50.
        cursor (None | str | Unset): Cursor: `next_cursor` of the previous page; default: the
            first page.
        model (None | str | Unset): Only maps that were made from this model: its id.
        dataset (None | str | Unset): Only maps that were made from this dataset: its id.
        prototype_set (None | str | Unset): Only maps that were made from this prototype set: its
            id.
        status (None | str | Unset): Only maps of this status.

    Raises:
        errors.UnexpectedStatus: If the server returns an undocumented status code and Client.raise_on_unexpected_status is True.
        httpx.TimeoutException: If the request takes longer than Client.timeout.

    Returns:
        Response[PageMap | Problem]
    """

    kwargs = _get_kwargs(
        limit=limit,
        cursor=cursor,
        model=model,
        dataset=dataset,
        prototype_set=prototype_set,
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
    model: None | str | Unset = UNSET,
    dataset: None | str | Unset = UNSET,
    prototype_set: None | str | Unset = UNSET,
    status: None | str | Unset = UNSET,
) -> PageMap | Problem | None:
    """List Maps

     List maps, newest first, without their results.

    Args:
        limit (int | Unset): Maximum number of items of the page, which may have fewer. Default:
            50.
        cursor (None | str | Unset): Cursor: `next_cursor` of the previous page; default: the
            first page.
        model (None | str | Unset): Only maps that were made from this model: its id.
        dataset (None | str | Unset): Only maps that were made from this dataset: its id.
        prototype_set (None | str | Unset): Only maps that were made from this prototype set: its
            id.
        status (None | str | Unset): Only maps of this status.

    Raises:
        errors.UnexpectedStatus: If the server returns an undocumented status code and Client.raise_on_unexpected_status is True.
        httpx.TimeoutException: If the request takes longer than Client.timeout.

    Returns:
        PageMap | Problem
    """

    return sync_detailed(
        client=client,
        limit=limit,
        cursor=cursor,
        model=model,
        dataset=dataset,
        prototype_set=prototype_set,
        status=status,
    ).parsed


async def asyncio_detailed(
    *,
    client: AuthenticatedClient,
    limit: int | Unset = 50,
    cursor: None | str | Unset = UNSET,
    model: None | str | Unset = UNSET,
    dataset: None | str | Unset = UNSET,
    prototype_set: None | str | Unset = UNSET,
    status: None | str | Unset = UNSET,
) -> Response[PageMap | Problem]:
    """List Maps

     List maps, newest first, without their results.

    Args:
        limit (int | Unset): Maximum number of items of the page, which may have fewer. Default:
            50.
        cursor (None | str | Unset): Cursor: `next_cursor` of the previous page; default: the
            first page.
        model (None | str | Unset): Only maps that were made from this model: its id.
        dataset (None | str | Unset): Only maps that were made from this dataset: its id.
        prototype_set (None | str | Unset): Only maps that were made from this prototype set: its
            id.
        status (None | str | Unset): Only maps of this status.

    Raises:
        errors.UnexpectedStatus: If the server returns an undocumented status code and Client.raise_on_unexpected_status is True.
        httpx.TimeoutException: If the request takes longer than Client.timeout.

    Returns:
        Response[PageMap | Problem]
    """

    kwargs = _get_kwargs(
        limit=limit,
        cursor=cursor,
        model=model,
        dataset=dataset,
        prototype_set=prototype_set,
        status=status,
    )

    response = await client.get_async_httpx_client().request(**kwargs)

    return _build_response(client=client, response=response)


async def asyncio(
    *,
    client: AuthenticatedClient,
    limit: int | Unset = 50,
    cursor: None | str | Unset = UNSET,
    model: None | str | Unset = UNSET,
    dataset: None | str | Unset = UNSET,
    prototype_set: None | str | Unset = UNSET,
    status: None | str | Unset = UNSET,
) -> PageMap | Problem | None:
    """List Maps

     List maps, newest first, without their results.

    Args:
        limit (int | Unset): Maximum number of items of the page, which may have fewer. Default:
            50.
        cursor (None | str | Unset): Cursor: `next_cursor` of the previous page; default: the
            first page.
        model (None | str | Unset): Only maps that were made from this model: its id.
        dataset (None | str | Unset): Only maps that were made from this dataset: its id.
        prototype_set (None | str | Unset): Only maps that were made from this prototype set: its
            id.
        status (None | str | Unset): Only maps of this status.

    Raises:
        errors.UnexpectedStatus: If the server returns an undocumented status code and Client.raise_on_unexpected_status is True.
        httpx.TimeoutException: If the request takes longer than Client.timeout.

    Returns:
        PageMap | Problem
    """

    return (
        await asyncio_detailed(
            client=client,
            limit=limit,
            cursor=cursor,
            model=model,
            dataset=dataset,
            prototype_set=prototype_set,
            status=status,
        )
    ).parsed
