from http import HTTPStatus
from typing import Any

import httpx

from ... import errors
from ...client import AuthenticatedClient, Client
from ...models.problem import Problem
from ...models.report import Report
from ...models.report_request import ReportRequest
from ...types import UNSET, Response, Unset


def _get_kwargs(
    *,
    body: ReportRequest,
    idempotency_key: None | str | Unset = UNSET,
) -> dict[str, Any]:
    headers: dict[str, Any] = {}
    if not isinstance(idempotency_key, Unset):
        headers["Idempotency-Key"] = idempotency_key

    _kwargs: dict[str, Any] = {
        "method": "post",
        "url": "/v1/reports",
    }

    _kwargs["json"] = body.to_dict()

    headers["Content-Type"] = "application/json"

    _kwargs["headers"] = headers
    return _kwargs


def _parse_response(*, client: AuthenticatedClient | Client, response: httpx.Response) -> Problem | Report | None:
    if response.status_code == 200:
        response_200 = Report.from_dict(response.json())

        return response_200

    if response.status_code == 202:
        response_202 = Report.from_dict(response.json())

        return response_202

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

    if response.status_code == 507:
        response_507 = Problem.from_dict(response.json())

        return response_507

    if client.raise_on_unexpected_status:
        raise errors.UnexpectedStatus(response.status_code, response.content)
    else:
        return None


def _build_response(*, client: AuthenticatedClient | Client, response: httpx.Response) -> Response[Problem | Report]:
    return Response(
        status_code=HTTPStatus(response.status_code),
        content=response.content,
        headers=response.headers,
        parsed=_parse_response(client=client, response=response),
    )


def sync_detailed(
    *,
    client: AuthenticatedClient,
    body: ReportRequest,
    idempotency_key: None | str | Unset = UNSET,
) -> Response[Problem | Report]:
    """Create Report

     Request a report on a model and what explains it; a job draws it unless it is there.

    Args:
        idempotency_key (None | str | Unset): Key of the caller's choice that makes it safe to
            repeat the request: with the same key and body, nothing is made twice, and the answer is
            the resource in its present state. The same key with another body is refused. Keys are
            forgotten when their resource is deleted.
        body (ReportRequest): What a report is about.

    Raises:
        errors.UnexpectedStatus: If the server returns an undocumented status code and Client.raise_on_unexpected_status is True.
        httpx.TimeoutException: If the request takes longer than Client.timeout.

    Returns:
        Response[Problem | Report]
    """

    kwargs = _get_kwargs(
        body=body,
        idempotency_key=idempotency_key,
    )

    response = client.get_httpx_client().request(
        **kwargs,
    )

    return _build_response(client=client, response=response)


def sync(
    *,
    client: AuthenticatedClient,
    body: ReportRequest,
    idempotency_key: None | str | Unset = UNSET,
) -> Problem | Report | None:
    """Create Report

     Request a report on a model and what explains it; a job draws it unless it is there.

    Args:
        idempotency_key (None | str | Unset): Key of the caller's choice that makes it safe to
            repeat the request: with the same key and body, nothing is made twice, and the answer is
            the resource in its present state. The same key with another body is refused. Keys are
            forgotten when their resource is deleted.
        body (ReportRequest): What a report is about.

    Raises:
        errors.UnexpectedStatus: If the server returns an undocumented status code and Client.raise_on_unexpected_status is True.
        httpx.TimeoutException: If the request takes longer than Client.timeout.

    Returns:
        Problem | Report
    """

    return sync_detailed(
        client=client,
        body=body,
        idempotency_key=idempotency_key,
    ).parsed


async def asyncio_detailed(
    *,
    client: AuthenticatedClient,
    body: ReportRequest,
    idempotency_key: None | str | Unset = UNSET,
) -> Response[Problem | Report]:
    """Create Report

     Request a report on a model and what explains it; a job draws it unless it is there.

    Args:
        idempotency_key (None | str | Unset): Key of the caller's choice that makes it safe to
            repeat the request: with the same key and body, nothing is made twice, and the answer is
            the resource in its present state. The same key with another body is refused. Keys are
            forgotten when their resource is deleted.
        body (ReportRequest): What a report is about.

    Raises:
        errors.UnexpectedStatus: If the server returns an undocumented status code and Client.raise_on_unexpected_status is True.
        httpx.TimeoutException: If the request takes longer than Client.timeout.

    Returns:
        Response[Problem | Report]
    """

    kwargs = _get_kwargs(
        body=body,
        idempotency_key=idempotency_key,
    )

    response = await client.get_async_httpx_client().request(**kwargs)

    return _build_response(client=client, response=response)


async def asyncio(
    *,
    client: AuthenticatedClient,
    body: ReportRequest,
    idempotency_key: None | str | Unset = UNSET,
) -> Problem | Report | None:
    """Create Report

     Request a report on a model and what explains it; a job draws it unless it is there.

    Args:
        idempotency_key (None | str | Unset): Key of the caller's choice that makes it safe to
            repeat the request: with the same key and body, nothing is made twice, and the answer is
            the resource in its present state. The same key with another body is refused. Keys are
            forgotten when their resource is deleted.
        body (ReportRequest): What a report is about.

    Raises:
        errors.UnexpectedStatus: If the server returns an undocumented status code and Client.raise_on_unexpected_status is True.
        httpx.TimeoutException: If the request takes longer than Client.timeout.

    Returns:
        Problem | Report
    """

    return (
        await asyncio_detailed(
            client=client,
            body=body,
            idempotency_key=idempotency_key,
        )
    ).parsed
