from http import HTTPStatus
from typing import Any
from urllib.parse import quote

import httpx

from ... import errors
from ...client import AuthenticatedClient, Client
from ...models.feature_row_list import FeatureRowList
from ...models.feature_rows_request import FeatureRowsRequest
from ...models.problem import Problem
from ...types import Response


def _get_kwargs(
    feature_set_id: str,
    *,
    body: FeatureRowsRequest,
) -> dict[str, Any]:
    headers: dict[str, Any] = {}

    _kwargs: dict[str, Any] = {
        "method": "post",
        "url": "/v1/feature-sets/{feature_set_id}/rows".format(
            feature_set_id=quote(str(feature_set_id), safe=""),
        ),
    }

    _kwargs["json"] = body.to_dict()

    headers["Content-Type"] = "application/json"

    _kwargs["headers"] = headers
    return _kwargs


def _parse_response(
    *, client: AuthenticatedClient | Client, response: httpx.Response
) -> FeatureRowList | Problem | None:
    if response.status_code == 200:
        response_200 = FeatureRowList.from_dict(response.json())

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

    if response.status_code == 409:
        response_409 = Problem.from_dict(response.json())

        return response_409

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

    if client.raise_on_unexpected_status:
        raise errors.UnexpectedStatus(response.status_code, response.content)
    else:
        return None


def _build_response(
    *, client: AuthenticatedClient | Client, response: httpx.Response
) -> Response[FeatureRowList | Problem]:
    return Response(
        status_code=HTTPStatus(response.status_code),
        content=response.content,
        headers=response.headers,
        parsed=_parse_response(client=client, response=response),
    )


def sync_detailed(
    feature_set_id: str,
    *,
    client: AuthenticatedClient,
    body: FeatureRowsRequest,
) -> Response[FeatureRowList | Problem]:
    """Evaluate Features

     Evaluate the features of up to 100 examples, each sent with its rows of all tables.

    Args:
        feature_set_id (str):
        body (FeatureRowsRequest): Examples to evaluate the features of.

    Raises:
        errors.UnexpectedStatus: If the server returns an undocumented status code and Client.raise_on_unexpected_status is True.
        httpx.TimeoutException: If the request takes longer than Client.timeout.

    Returns:
        Response[FeatureRowList | Problem]
    """

    kwargs = _get_kwargs(
        feature_set_id=feature_set_id,
        body=body,
    )

    response = client.get_httpx_client().request(
        **kwargs,
    )

    return _build_response(client=client, response=response)


def sync(
    feature_set_id: str,
    *,
    client: AuthenticatedClient,
    body: FeatureRowsRequest,
) -> FeatureRowList | Problem | None:
    """Evaluate Features

     Evaluate the features of up to 100 examples, each sent with its rows of all tables.

    Args:
        feature_set_id (str):
        body (FeatureRowsRequest): Examples to evaluate the features of.

    Raises:
        errors.UnexpectedStatus: If the server returns an undocumented status code and Client.raise_on_unexpected_status is True.
        httpx.TimeoutException: If the request takes longer than Client.timeout.

    Returns:
        FeatureRowList | Problem
    """

    return sync_detailed(
        feature_set_id=feature_set_id,
        client=client,
        body=body,
    ).parsed


async def asyncio_detailed(
    feature_set_id: str,
    *,
    client: AuthenticatedClient,
    body: FeatureRowsRequest,
) -> Response[FeatureRowList | Problem]:
    """Evaluate Features

     Evaluate the features of up to 100 examples, each sent with its rows of all tables.

    Args:
        feature_set_id (str):
        body (FeatureRowsRequest): Examples to evaluate the features of.

    Raises:
        errors.UnexpectedStatus: If the server returns an undocumented status code and Client.raise_on_unexpected_status is True.
        httpx.TimeoutException: If the request takes longer than Client.timeout.

    Returns:
        Response[FeatureRowList | Problem]
    """

    kwargs = _get_kwargs(
        feature_set_id=feature_set_id,
        body=body,
    )

    response = await client.get_async_httpx_client().request(**kwargs)

    return _build_response(client=client, response=response)


async def asyncio(
    feature_set_id: str,
    *,
    client: AuthenticatedClient,
    body: FeatureRowsRequest,
) -> FeatureRowList | Problem | None:
    """Evaluate Features

     Evaluate the features of up to 100 examples, each sent with its rows of all tables.

    Args:
        feature_set_id (str):
        body (FeatureRowsRequest): Examples to evaluate the features of.

    Raises:
        errors.UnexpectedStatus: If the server returns an undocumented status code and Client.raise_on_unexpected_status is True.
        httpx.TimeoutException: If the request takes longer than Client.timeout.

    Returns:
        FeatureRowList | Problem
    """

    return (
        await asyncio_detailed(
            feature_set_id=feature_set_id,
            client=client,
            body=body,
        )
    ).parsed
