from http import HTTPStatus
from typing import Any
from urllib.parse import quote

import httpx

from ... import errors
from ...client import AuthenticatedClient, Client
from ...models.problem import Problem
from ...models.relational_dataset import RelationalDataset
from ...models.renaming import Renaming
from ...types import Response


def _get_kwargs(
    relational_dataset_id: str,
    *,
    body: Renaming,
) -> dict[str, Any]:
    headers: dict[str, Any] = {}

    _kwargs: dict[str, Any] = {
        "method": "patch",
        "url": "/v1/relational-datasets/{relational_dataset_id}".format(
            relational_dataset_id=quote(str(relational_dataset_id), safe=""),
        ),
    }

    _kwargs["json"] = body.to_dict()

    headers["Content-Type"] = "application/json"

    _kwargs["headers"] = headers
    return _kwargs


def _parse_response(
    *, client: AuthenticatedClient | Client, response: httpx.Response
) -> Problem | RelationalDataset | None:
    if response.status_code == 200:
        response_200 = RelationalDataset.from_dict(response.json())

        return response_200

    if response.status_code == 400:
        response_400 = Problem.from_dict(response.json())

        return response_400

    if response.status_code == 401:
        response_401 = Problem.from_dict(response.json())

        return response_401

    if response.status_code == 403:
        response_403 = Problem.from_dict(response.json())

        return response_403

    if response.status_code == 404:
        response_404 = Problem.from_dict(response.json())

        return response_404

    if response.status_code == 408:
        response_408 = Problem.from_dict(response.json())

        return response_408

    if response.status_code == 413:
        response_413 = Problem.from_dict(response.json())

        return response_413

    if response.status_code == 415:
        response_415 = Problem.from_dict(response.json())

        return response_415

    if response.status_code == 422:
        response_422 = Problem.from_dict(response.json())

        return response_422

    if response.status_code == 429:
        response_429 = Problem.from_dict(response.json())

        return response_429

    if response.status_code == 503:
        response_503 = Problem.from_dict(response.json())

        return response_503

    if response.status_code == 507:
        response_507 = Problem.from_dict(response.json())

        return response_507

    if client.raise_on_unexpected_status:
        raise errors.UnexpectedStatus(response.status_code, response.content)
    else:
        return None


def _build_response(
    *, client: AuthenticatedClient | Client, response: httpx.Response
) -> Response[Problem | RelationalDataset]:
    return Response(
        status_code=HTTPStatus(response.status_code),
        content=response.content,
        headers=response.headers,
        parsed=_parse_response(client=client, response=response),
    )


def sync_detailed(
    relational_dataset_id: str,
    *,
    client: AuthenticatedClient,
    body: Renaming,
) -> Response[Problem | RelationalDataset]:
    """Rename Relational Dataset

     Rename a relational dataset: its id stays, and its entity tag changes.

    Args:
        relational_dataset_id (str):
        body (Renaming): Another name for something that keeps its id.

    Raises:
        errors.UnexpectedStatus: If the server returns an undocumented status code and Client.raise_on_unexpected_status is True.
        httpx.TimeoutException: If the request takes longer than Client.timeout.

    Returns:
        Response[Problem | RelationalDataset]
    """

    kwargs = _get_kwargs(
        relational_dataset_id=relational_dataset_id,
        body=body,
    )

    response = client.get_httpx_client().request(
        **kwargs,
    )

    return _build_response(client=client, response=response)


def sync(
    relational_dataset_id: str,
    *,
    client: AuthenticatedClient,
    body: Renaming,
) -> Problem | RelationalDataset | None:
    """Rename Relational Dataset

     Rename a relational dataset: its id stays, and its entity tag changes.

    Args:
        relational_dataset_id (str):
        body (Renaming): Another name for something that keeps its id.

    Raises:
        errors.UnexpectedStatus: If the server returns an undocumented status code and Client.raise_on_unexpected_status is True.
        httpx.TimeoutException: If the request takes longer than Client.timeout.

    Returns:
        Problem | RelationalDataset
    """

    return sync_detailed(
        relational_dataset_id=relational_dataset_id,
        client=client,
        body=body,
    ).parsed


async def asyncio_detailed(
    relational_dataset_id: str,
    *,
    client: AuthenticatedClient,
    body: Renaming,
) -> Response[Problem | RelationalDataset]:
    """Rename Relational Dataset

     Rename a relational dataset: its id stays, and its entity tag changes.

    Args:
        relational_dataset_id (str):
        body (Renaming): Another name for something that keeps its id.

    Raises:
        errors.UnexpectedStatus: If the server returns an undocumented status code and Client.raise_on_unexpected_status is True.
        httpx.TimeoutException: If the request takes longer than Client.timeout.

    Returns:
        Response[Problem | RelationalDataset]
    """

    kwargs = _get_kwargs(
        relational_dataset_id=relational_dataset_id,
        body=body,
    )

    response = await client.get_async_httpx_client().request(**kwargs)

    return _build_response(client=client, response=response)


async def asyncio(
    relational_dataset_id: str,
    *,
    client: AuthenticatedClient,
    body: Renaming,
) -> Problem | RelationalDataset | None:
    """Rename Relational Dataset

     Rename a relational dataset: its id stays, and its entity tag changes.

    Args:
        relational_dataset_id (str):
        body (Renaming): Another name for something that keeps its id.

    Raises:
        errors.UnexpectedStatus: If the server returns an undocumented status code and Client.raise_on_unexpected_status is True.
        httpx.TimeoutException: If the request takes longer than Client.timeout.

    Returns:
        Problem | RelationalDataset
    """

    return (
        await asyncio_detailed(
            relational_dataset_id=relational_dataset_id,
            client=client,
            body=body,
        )
    ).parsed
