from http import HTTPStatus
from typing import Any
from urllib.parse import quote

import httpx

from ... import errors
from ...client import AuthenticatedClient, Client
from ...models.problem import Problem
from ...models.reviewed_row import ReviewedRow
from ...types import Response


def _get_kwargs(
    label_audit_id: str,
    row: int,
) -> dict[str, Any]:

    _kwargs: dict[str, Any] = {
        "method": "get",
        "url": "/v1/label-audits/{label_audit_id}/rows/{row}".format(
            label_audit_id=quote(str(label_audit_id), safe=""),
            row=quote(str(row), safe=""),
        ),
    }

    return _kwargs


def _parse_response(*, client: AuthenticatedClient | Client, response: httpx.Response) -> Problem | ReviewedRow | None:
    if response.status_code == 200:
        response_200 = ReviewedRow.from_dict(response.json())

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
) -> Response[Problem | ReviewedRow]:
    return Response(
        status_code=HTTPStatus(response.status_code),
        content=response.content,
        headers=response.headers,
        parsed=_parse_response(client=client, response=response),
    )


def sync_detailed(
    label_audit_id: str,
    row: int,
    *,
    client: AuthenticatedClient,
) -> Response[Problem | ReviewedRow]:
    """Get Audited Row

     Read an audited row with its ten nearest rows, their labels, and the decision about it.

    Args:
        label_audit_id (str):
        row (int): 0-based index of the row in the dataset.

    Raises:
        errors.UnexpectedStatus: If the server returns an undocumented status code and Client.raise_on_unexpected_status is True.
        httpx.TimeoutException: If the request takes longer than Client.timeout.

    Returns:
        Response[Problem | ReviewedRow]
    """

    kwargs = _get_kwargs(
        label_audit_id=label_audit_id,
        row=row,
    )

    response = client.get_httpx_client().request(
        **kwargs,
    )

    return _build_response(client=client, response=response)


def sync(
    label_audit_id: str,
    row: int,
    *,
    client: AuthenticatedClient,
) -> Problem | ReviewedRow | None:
    """Get Audited Row

     Read an audited row with its ten nearest rows, their labels, and the decision about it.

    Args:
        label_audit_id (str):
        row (int): 0-based index of the row in the dataset.

    Raises:
        errors.UnexpectedStatus: If the server returns an undocumented status code and Client.raise_on_unexpected_status is True.
        httpx.TimeoutException: If the request takes longer than Client.timeout.

    Returns:
        Problem | ReviewedRow
    """

    return sync_detailed(
        label_audit_id=label_audit_id,
        row=row,
        client=client,
    ).parsed


async def asyncio_detailed(
    label_audit_id: str,
    row: int,
    *,
    client: AuthenticatedClient,
) -> Response[Problem | ReviewedRow]:
    """Get Audited Row

     Read an audited row with its ten nearest rows, their labels, and the decision about it.

    Args:
        label_audit_id (str):
        row (int): 0-based index of the row in the dataset.

    Raises:
        errors.UnexpectedStatus: If the server returns an undocumented status code and Client.raise_on_unexpected_status is True.
        httpx.TimeoutException: If the request takes longer than Client.timeout.

    Returns:
        Response[Problem | ReviewedRow]
    """

    kwargs = _get_kwargs(
        label_audit_id=label_audit_id,
        row=row,
    )

    response = await client.get_async_httpx_client().request(**kwargs)

    return _build_response(client=client, response=response)


async def asyncio(
    label_audit_id: str,
    row: int,
    *,
    client: AuthenticatedClient,
) -> Problem | ReviewedRow | None:
    """Get Audited Row

     Read an audited row with its ten nearest rows, their labels, and the decision about it.

    Args:
        label_audit_id (str):
        row (int): 0-based index of the row in the dataset.

    Raises:
        errors.UnexpectedStatus: If the server returns an undocumented status code and Client.raise_on_unexpected_status is True.
        httpx.TimeoutException: If the request takes longer than Client.timeout.

    Returns:
        Problem | ReviewedRow
    """

    return (
        await asyncio_detailed(
            label_audit_id=label_audit_id,
            row=row,
            client=client,
        )
    ).parsed
