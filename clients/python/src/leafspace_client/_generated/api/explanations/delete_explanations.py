from http import HTTPStatus
from typing import Any

import httpx

from ... import errors
from ...client import AuthenticatedClient, Client
from ...models.deleted_explanations import DeletedExplanations
from ...models.problem import Problem
from ...types import UNSET, Response


def _get_kwargs(
    *,
    explainer: str,
    row_id: str,
) -> dict[str, Any]:

    params: dict[str, Any] = {}

    params["explainer"] = explainer

    params["row_id"] = row_id

    params = {k: v for k, v in params.items() if v is not UNSET and v is not None}

    _kwargs: dict[str, Any] = {
        "method": "delete",
        "url": "/v1/explanations",
        "params": params,
    }

    return _kwargs


def _parse_response(
    *, client: AuthenticatedClient | Client, response: httpx.Response
) -> DeletedExplanations | Problem | None:
    if response.status_code == 200:
        response_200 = DeletedExplanations.from_dict(response.json())

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
) -> Response[DeletedExplanations | Problem]:
    return Response(
        status_code=HTTPStatus(response.status_code),
        content=response.content,
        headers=response.headers,
        parsed=_parse_response(client=client, response=response),
    )


def sync_detailed(
    *,
    client: AuthenticatedClient,
    explainer: str,
    row_id: str,
) -> Response[DeletedExplanations | Problem]:
    """Delete Explanations

     Delete all stored explanations of a row by an explainer.

    Args:
        explainer (str): Id of the explainer that explained the row.
        row_id (str): Id of the row.

    Raises:
        errors.UnexpectedStatus: If the server returns an undocumented status code and Client.raise_on_unexpected_status is True.
        httpx.TimeoutException: If the request takes longer than Client.timeout.

    Returns:
        Response[DeletedExplanations | Problem]
    """

    kwargs = _get_kwargs(
        explainer=explainer,
        row_id=row_id,
    )

    response = client.get_httpx_client().request(
        **kwargs,
    )

    return _build_response(client=client, response=response)


def sync(
    *,
    client: AuthenticatedClient,
    explainer: str,
    row_id: str,
) -> DeletedExplanations | Problem | None:
    """Delete Explanations

     Delete all stored explanations of a row by an explainer.

    Args:
        explainer (str): Id of the explainer that explained the row.
        row_id (str): Id of the row.

    Raises:
        errors.UnexpectedStatus: If the server returns an undocumented status code and Client.raise_on_unexpected_status is True.
        httpx.TimeoutException: If the request takes longer than Client.timeout.

    Returns:
        DeletedExplanations | Problem
    """

    return sync_detailed(
        client=client,
        explainer=explainer,
        row_id=row_id,
    ).parsed


async def asyncio_detailed(
    *,
    client: AuthenticatedClient,
    explainer: str,
    row_id: str,
) -> Response[DeletedExplanations | Problem]:
    """Delete Explanations

     Delete all stored explanations of a row by an explainer.

    Args:
        explainer (str): Id of the explainer that explained the row.
        row_id (str): Id of the row.

    Raises:
        errors.UnexpectedStatus: If the server returns an undocumented status code and Client.raise_on_unexpected_status is True.
        httpx.TimeoutException: If the request takes longer than Client.timeout.

    Returns:
        Response[DeletedExplanations | Problem]
    """

    kwargs = _get_kwargs(
        explainer=explainer,
        row_id=row_id,
    )

    response = await client.get_async_httpx_client().request(**kwargs)

    return _build_response(client=client, response=response)


async def asyncio(
    *,
    client: AuthenticatedClient,
    explainer: str,
    row_id: str,
) -> DeletedExplanations | Problem | None:
    """Delete Explanations

     Delete all stored explanations of a row by an explainer.

    Args:
        explainer (str): Id of the explainer that explained the row.
        row_id (str): Id of the row.

    Raises:
        errors.UnexpectedStatus: If the server returns an undocumented status code and Client.raise_on_unexpected_status is True.
        httpx.TimeoutException: If the request takes longer than Client.timeout.

    Returns:
        DeletedExplanations | Problem
    """

    return (
        await asyncio_detailed(
            client=client,
            explainer=explainer,
            row_id=row_id,
        )
    ).parsed
