from http import HTTPStatus
from typing import Any
from urllib.parse import quote

import httpx

from ... import errors
from ...client import AuthenticatedClient, Client
from ...models.explanation_list import ExplanationList
from ...models.explanation_request import ExplanationRequest
from ...models.problem import Problem
from ...types import Response


def _get_kwargs(
    explainer_id: str,
    *,
    body: ExplanationRequest,
) -> dict[str, Any]:
    headers: dict[str, Any] = {}

    _kwargs: dict[str, Any] = {
        "method": "post",
        "url": "/v1/explainers/{explainer_id}/explanations".format(
            explainer_id=quote(str(explainer_id), safe=""),
        ),
    }

    _kwargs["json"] = body.to_dict()

    headers["Content-Type"] = "application/json"

    _kwargs["headers"] = headers
    return _kwargs


def _parse_response(
    *, client: AuthenticatedClient | Client, response: httpx.Response
) -> ExplanationList | Problem | None:
    if response.status_code == 200:
        response_200 = ExplanationList.from_dict(response.json())

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

    if response.status_code == 406:
        response_406 = Problem.from_dict(response.json())

        return response_406

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

    if client.raise_on_unexpected_status:
        raise errors.UnexpectedStatus(response.status_code, response.content)
    else:
        return None


def _build_response(
    *, client: AuthenticatedClient | Client, response: httpx.Response
) -> Response[ExplanationList | Problem]:
    return Response(
        status_code=HTTPStatus(response.status_code),
        content=response.content,
        headers=response.headers,
        parsed=_parse_response(client=client, response=response),
    )


def sync_detailed(
    explainer_id: str,
    *,
    client: AuthenticatedClient,
    body: ExplanationRequest,
) -> Response[ExplanationList | Problem]:
    """Explain

     Explain up to 1,000 predictions by their nearest prototypes; up to 50 of them as HTML, as `Accept`
    says.

    Args:
        explainer_id (str): Id of the explainer, or a name that it has.
        body (ExplanationRequest): Rows to explain.

    Raises:
        errors.UnexpectedStatus: If the server returns an undocumented status code and Client.raise_on_unexpected_status is True.
        httpx.TimeoutException: If the request takes longer than Client.timeout.

    Returns:
        Response[ExplanationList | Problem]
    """

    kwargs = _get_kwargs(
        explainer_id=explainer_id,
        body=body,
    )

    response = client.get_httpx_client().request(
        **kwargs,
    )

    return _build_response(client=client, response=response)


def sync(
    explainer_id: str,
    *,
    client: AuthenticatedClient,
    body: ExplanationRequest,
) -> ExplanationList | Problem | None:
    """Explain

     Explain up to 1,000 predictions by their nearest prototypes; up to 50 of them as HTML, as `Accept`
    says.

    Args:
        explainer_id (str): Id of the explainer, or a name that it has.
        body (ExplanationRequest): Rows to explain.

    Raises:
        errors.UnexpectedStatus: If the server returns an undocumented status code and Client.raise_on_unexpected_status is True.
        httpx.TimeoutException: If the request takes longer than Client.timeout.

    Returns:
        ExplanationList | Problem
    """

    return sync_detailed(
        explainer_id=explainer_id,
        client=client,
        body=body,
    ).parsed


async def asyncio_detailed(
    explainer_id: str,
    *,
    client: AuthenticatedClient,
    body: ExplanationRequest,
) -> Response[ExplanationList | Problem]:
    """Explain

     Explain up to 1,000 predictions by their nearest prototypes; up to 50 of them as HTML, as `Accept`
    says.

    Args:
        explainer_id (str): Id of the explainer, or a name that it has.
        body (ExplanationRequest): Rows to explain.

    Raises:
        errors.UnexpectedStatus: If the server returns an undocumented status code and Client.raise_on_unexpected_status is True.
        httpx.TimeoutException: If the request takes longer than Client.timeout.

    Returns:
        Response[ExplanationList | Problem]
    """

    kwargs = _get_kwargs(
        explainer_id=explainer_id,
        body=body,
    )

    response = await client.get_async_httpx_client().request(**kwargs)

    return _build_response(client=client, response=response)


async def asyncio(
    explainer_id: str,
    *,
    client: AuthenticatedClient,
    body: ExplanationRequest,
) -> ExplanationList | Problem | None:
    """Explain

     Explain up to 1,000 predictions by their nearest prototypes; up to 50 of them as HTML, as `Accept`
    says.

    Args:
        explainer_id (str): Id of the explainer, or a name that it has.
        body (ExplanationRequest): Rows to explain.

    Raises:
        errors.UnexpectedStatus: If the server returns an undocumented status code and Client.raise_on_unexpected_status is True.
        httpx.TimeoutException: If the request takes longer than Client.timeout.

    Returns:
        ExplanationList | Problem
    """

    return (
        await asyncio_detailed(
            explainer_id=explainer_id,
            client=client,
            body=body,
        )
    ).parsed
