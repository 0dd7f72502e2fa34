from http import HTTPStatus
from typing import Any
from urllib.parse import quote

import httpx

from ... import errors
from ...client import AuthenticatedClient, Client
from ...models.explainer_name import ExplainerName
from ...models.explainer_name_request import ExplainerNameRequest
from ...models.problem import Problem
from ...types import UNSET, Response, Unset


def _get_kwargs(
    name: str,
    *,
    body: ExplainerNameRequest,
    if_match: None | str | Unset = UNSET,
    if_none_match: None | str | Unset = UNSET,
) -> dict[str, Any]:
    headers: dict[str, Any] = {}
    if not isinstance(if_match, Unset):
        headers["If-Match"] = if_match

    if not isinstance(if_none_match, Unset):
        headers["If-None-Match"] = if_none_match

    _kwargs: dict[str, Any] = {
        "method": "put",
        "url": "/v1/explainer-names/{name}".format(
            name=quote(str(name), safe=""),
        ),
    }

    _kwargs["json"] = body.to_dict()

    headers["Content-Type"] = "application/json"

    _kwargs["headers"] = headers
    return _kwargs


def _parse_response(
    *, client: AuthenticatedClient | Client, response: httpx.Response
) -> ExplainerName | Problem | None:
    if response.status_code == 200:
        response_200 = ExplainerName.from_dict(response.json())

        return response_200

    if response.status_code == 201:
        response_201 = ExplainerName.from_dict(response.json())

        return response_201

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

    if response.status_code == 412:
        response_412 = Problem.from_dict(response.json())

        return response_412

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
) -> Response[ExplainerName | Problem]:
    return Response(
        status_code=HTTPStatus(response.status_code),
        content=response.content,
        headers=response.headers,
        parsed=_parse_response(client=client, response=response),
    )


def sync_detailed(
    name: str,
    *,
    client: AuthenticatedClient,
    body: ExplainerNameRequest,
    if_match: None | str | Unset = UNSET,
    if_none_match: None | str | Unset = UNSET,
) -> Response[ExplainerName | Problem]:
    """Put Explainer Name

     Give an explainer a name, or a name another explainer: within two seconds every process answers by
    that one.

    Args:
        name (str): The name: lower-case letters, digits and hyphens, at most 63, a letter first.
        if_match (None | str | Unset): `ETag` of the state that is to be changed, or `*` for any;
            in another state, 412.
        if_none_match (None | str | Unset): `*`: it must be new; otherwise, 412. Nothing else is
            taken here.
        body (ExplainerNameRequest): Which explainer a name means from now on.

    Raises:
        errors.UnexpectedStatus: If the server returns an undocumented status code and Client.raise_on_unexpected_status is True.
        httpx.TimeoutException: If the request takes longer than Client.timeout.

    Returns:
        Response[ExplainerName | Problem]
    """

    kwargs = _get_kwargs(
        name=name,
        body=body,
        if_match=if_match,
        if_none_match=if_none_match,
    )

    response = client.get_httpx_client().request(
        **kwargs,
    )

    return _build_response(client=client, response=response)


def sync(
    name: str,
    *,
    client: AuthenticatedClient,
    body: ExplainerNameRequest,
    if_match: None | str | Unset = UNSET,
    if_none_match: None | str | Unset = UNSET,
) -> ExplainerName | Problem | None:
    """Put Explainer Name

     Give an explainer a name, or a name another explainer: within two seconds every process answers by
    that one.

    Args:
        name (str): The name: lower-case letters, digits and hyphens, at most 63, a letter first.
        if_match (None | str | Unset): `ETag` of the state that is to be changed, or `*` for any;
            in another state, 412.
        if_none_match (None | str | Unset): `*`: it must be new; otherwise, 412. Nothing else is
            taken here.
        body (ExplainerNameRequest): Which explainer a name means from now on.

    Raises:
        errors.UnexpectedStatus: If the server returns an undocumented status code and Client.raise_on_unexpected_status is True.
        httpx.TimeoutException: If the request takes longer than Client.timeout.

    Returns:
        ExplainerName | Problem
    """

    return sync_detailed(
        name=name,
        client=client,
        body=body,
        if_match=if_match,
        if_none_match=if_none_match,
    ).parsed


async def asyncio_detailed(
    name: str,
    *,
    client: AuthenticatedClient,
    body: ExplainerNameRequest,
    if_match: None | str | Unset = UNSET,
    if_none_match: None | str | Unset = UNSET,
) -> Response[ExplainerName | Problem]:
    """Put Explainer Name

     Give an explainer a name, or a name another explainer: within two seconds every process answers by
    that one.

    Args:
        name (str): The name: lower-case letters, digits and hyphens, at most 63, a letter first.
        if_match (None | str | Unset): `ETag` of the state that is to be changed, or `*` for any;
            in another state, 412.
        if_none_match (None | str | Unset): `*`: it must be new; otherwise, 412. Nothing else is
            taken here.
        body (ExplainerNameRequest): Which explainer a name means from now on.

    Raises:
        errors.UnexpectedStatus: If the server returns an undocumented status code and Client.raise_on_unexpected_status is True.
        httpx.TimeoutException: If the request takes longer than Client.timeout.

    Returns:
        Response[ExplainerName | Problem]
    """

    kwargs = _get_kwargs(
        name=name,
        body=body,
        if_match=if_match,
        if_none_match=if_none_match,
    )

    response = await client.get_async_httpx_client().request(**kwargs)

    return _build_response(client=client, response=response)


async def asyncio(
    name: str,
    *,
    client: AuthenticatedClient,
    body: ExplainerNameRequest,
    if_match: None | str | Unset = UNSET,
    if_none_match: None | str | Unset = UNSET,
) -> ExplainerName | Problem | None:
    """Put Explainer Name

     Give an explainer a name, or a name another explainer: within two seconds every process answers by
    that one.

    Args:
        name (str): The name: lower-case letters, digits and hyphens, at most 63, a letter first.
        if_match (None | str | Unset): `ETag` of the state that is to be changed, or `*` for any;
            in another state, 412.
        if_none_match (None | str | Unset): `*`: it must be new; otherwise, 412. Nothing else is
            taken here.
        body (ExplainerNameRequest): Which explainer a name means from now on.

    Raises:
        errors.UnexpectedStatus: If the server returns an undocumented status code and Client.raise_on_unexpected_status is True.
        httpx.TimeoutException: If the request takes longer than Client.timeout.

    Returns:
        ExplainerName | Problem
    """

    return (
        await asyncio_detailed(
            name=name,
            client=client,
            body=body,
            if_match=if_match,
            if_none_match=if_none_match,
        )
    ).parsed
