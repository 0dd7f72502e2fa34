from http import HTTPStatus
from typing import Any
from urllib.parse import quote

import httpx

from ... import errors
from ...client import AuthenticatedClient, Client
from ...models.decision_counts import DecisionCounts
from ...models.problem import Problem
from ...types import Response


def _get_kwargs(
    label_audit_id: str,
) -> dict[str, Any]:

    _kwargs: dict[str, Any] = {
        "method": "get",
        "url": "/v1/label-audits/{label_audit_id}/decisions/counts".format(
            label_audit_id=quote(str(label_audit_id), safe=""),
        ),
    }

    return _kwargs


def _parse_response(
    *, client: AuthenticatedClient | Client, response: httpx.Response
) -> DecisionCounts | Problem | None:
    if response.status_code == 200:
        response_200 = DecisionCounts.from_dict(response.json())

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

    if response.status_code == 409:
        response_409 = Problem.from_dict(response.json())

        return response_409

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
) -> Response[DecisionCounts | Problem]:
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
) -> Response[DecisionCounts | Problem]:
    """Count Label Decisions

     Read how far the review has come.

    Args:
        label_audit_id (str):

    Raises:
        errors.UnexpectedStatus: If the server returns an undocumented status code and Client.raise_on_unexpected_status is True.
        httpx.TimeoutException: If the request takes longer than Client.timeout.

    Returns:
        Response[DecisionCounts | Problem]
    """

    kwargs = _get_kwargs(
        label_audit_id=label_audit_id,
    )

    response = client.get_httpx_client().request(
        **kwargs,
    )

    return _build_response(client=client, response=response)


def sync(
    label_audit_id: str,
    *,
    client: AuthenticatedClient,
) -> DecisionCounts | Problem | None:
    """Count Label Decisions

     Read how far the review has come.

    Args:
        label_audit_id (str):

    Raises:
        errors.UnexpectedStatus: If the server returns an undocumented status code and Client.raise_on_unexpected_status is True.
        httpx.TimeoutException: If the request takes longer than Client.timeout.

    Returns:
        DecisionCounts | Problem
    """

    return sync_detailed(
        label_audit_id=label_audit_id,
        client=client,
    ).parsed


async def asyncio_detailed(
    label_audit_id: str,
    *,
    client: AuthenticatedClient,
) -> Response[DecisionCounts | Problem]:
    """Count Label Decisions

     Read how far the review has come.

    Args:
        label_audit_id (str):

    Raises:
        errors.UnexpectedStatus: If the server returns an undocumented status code and Client.raise_on_unexpected_status is True.
        httpx.TimeoutException: If the request takes longer than Client.timeout.

    Returns:
        Response[DecisionCounts | Problem]
    """

    kwargs = _get_kwargs(
        label_audit_id=label_audit_id,
    )

    response = await client.get_async_httpx_client().request(**kwargs)

    return _build_response(client=client, response=response)


async def asyncio(
    label_audit_id: str,
    *,
    client: AuthenticatedClient,
) -> DecisionCounts | Problem | None:
    """Count Label Decisions

     Read how far the review has come.

    Args:
        label_audit_id (str):

    Raises:
        errors.UnexpectedStatus: If the server returns an undocumented status code and Client.raise_on_unexpected_status is True.
        httpx.TimeoutException: If the request takes longer than Client.timeout.

    Returns:
        DecisionCounts | Problem
    """

    return (
        await asyncio_detailed(
            label_audit_id=label_audit_id,
            client=client,
        )
    ).parsed
