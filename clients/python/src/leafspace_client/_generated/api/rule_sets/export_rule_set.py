from http import HTTPStatus
from typing import Any, cast
from urllib.parse import quote

import httpx

from ... import errors
from ...client import AuthenticatedClient, Client
from ...models.problem import Problem
from ...types import UNSET, Response, Unset


def _get_kwargs(
    rule_set_id: str,
    *,
    format_: str | Unset = "json",
    over: None | str | Unset = UNSET,
    if_none_match: str | Unset = UNSET,
) -> dict[str, Any]:
    headers: dict[str, Any] = {}
    if not isinstance(if_none_match, Unset):
        headers["If-None-Match"] = if_none_match

    params: dict[str, Any] = {}

    params["format"] = format_

    json_over: None | str | Unset
    if isinstance(over, Unset):
        json_over = UNSET
    else:
        json_over = over
    params["over"] = json_over

    params = {k: v for k, v in params.items() if v is not UNSET and v is not None}

    _kwargs: dict[str, Any] = {
        "method": "get",
        "url": "/v1/rule-sets/{rule_set_id}/export".format(
            rule_set_id=quote(str(rule_set_id), safe=""),
        ),
        "params": params,
    }

    _kwargs["headers"] = headers
    return _kwargs


def _parse_response(*, client: AuthenticatedClient | Client, response: httpx.Response) -> Any | Problem | None:
    if response.status_code == 200:
        response_200 = response.json()
        return response_200

    if response.status_code == 304:
        response_304 = cast(Any, None)
        return response_304

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


def _build_response(*, client: AuthenticatedClient | Client, response: httpx.Response) -> Response[Any | Problem]:
    return Response(
        status_code=HTTPStatus(response.status_code),
        content=response.content,
        headers=response.headers,
        parsed=_parse_response(client=client, response=response),
    )


def sync_detailed(
    rule_set_id: str,
    *,
    client: AuthenticatedClient,
    format_: str | Unset = "json",
    over: None | str | Unset = UNSET,
    if_none_match: str | Unset = UNSET,
) -> Response[Any | Problem]:
    """Export Rule Set

     Export the rules as JSON, a table in Markdown, SQL, a Python function, or a drawing in HTML.

    Args:
        rule_set_id (str):
        format_ (str | Unset): Format of the exported rules. Default: 'json'.
        over (None | str | Unset): What exported SQL reads: `tables`, of which the model's
            features are queries, with a row for each example; or `features`, a table with the model's
            features as columns. Null: `tables` where the dataset has a feature set, else `features`.
            For format `sql` alone.
        if_none_match (str | Unset):

    Raises:
        errors.UnexpectedStatus: If the server returns an undocumented status code and Client.raise_on_unexpected_status is True.
        httpx.TimeoutException: If the request takes longer than Client.timeout.

    Returns:
        Response[Any | Problem]
    """

    kwargs = _get_kwargs(
        rule_set_id=rule_set_id,
        format_=format_,
        over=over,
        if_none_match=if_none_match,
    )

    response = client.get_httpx_client().request(
        **kwargs,
    )

    return _build_response(client=client, response=response)


def sync(
    rule_set_id: str,
    *,
    client: AuthenticatedClient,
    format_: str | Unset = "json",
    over: None | str | Unset = UNSET,
    if_none_match: str | Unset = UNSET,
) -> Any | Problem | None:
    """Export Rule Set

     Export the rules as JSON, a table in Markdown, SQL, a Python function, or a drawing in HTML.

    Args:
        rule_set_id (str):
        format_ (str | Unset): Format of the exported rules. Default: 'json'.
        over (None | str | Unset): What exported SQL reads: `tables`, of which the model's
            features are queries, with a row for each example; or `features`, a table with the model's
            features as columns. Null: `tables` where the dataset has a feature set, else `features`.
            For format `sql` alone.
        if_none_match (str | Unset):

    Raises:
        errors.UnexpectedStatus: If the server returns an undocumented status code and Client.raise_on_unexpected_status is True.
        httpx.TimeoutException: If the request takes longer than Client.timeout.

    Returns:
        Any | Problem
    """

    return sync_detailed(
        rule_set_id=rule_set_id,
        client=client,
        format_=format_,
        over=over,
        if_none_match=if_none_match,
    ).parsed


async def asyncio_detailed(
    rule_set_id: str,
    *,
    client: AuthenticatedClient,
    format_: str | Unset = "json",
    over: None | str | Unset = UNSET,
    if_none_match: str | Unset = UNSET,
) -> Response[Any | Problem]:
    """Export Rule Set

     Export the rules as JSON, a table in Markdown, SQL, a Python function, or a drawing in HTML.

    Args:
        rule_set_id (str):
        format_ (str | Unset): Format of the exported rules. Default: 'json'.
        over (None | str | Unset): What exported SQL reads: `tables`, of which the model's
            features are queries, with a row for each example; or `features`, a table with the model's
            features as columns. Null: `tables` where the dataset has a feature set, else `features`.
            For format `sql` alone.
        if_none_match (str | Unset):

    Raises:
        errors.UnexpectedStatus: If the server returns an undocumented status code and Client.raise_on_unexpected_status is True.
        httpx.TimeoutException: If the request takes longer than Client.timeout.

    Returns:
        Response[Any | Problem]
    """

    kwargs = _get_kwargs(
        rule_set_id=rule_set_id,
        format_=format_,
        over=over,
        if_none_match=if_none_match,
    )

    response = await client.get_async_httpx_client().request(**kwargs)

    return _build_response(client=client, response=response)


async def asyncio(
    rule_set_id: str,
    *,
    client: AuthenticatedClient,
    format_: str | Unset = "json",
    over: None | str | Unset = UNSET,
    if_none_match: str | Unset = UNSET,
) -> Any | Problem | None:
    """Export Rule Set

     Export the rules as JSON, a table in Markdown, SQL, a Python function, or a drawing in HTML.

    Args:
        rule_set_id (str):
        format_ (str | Unset): Format of the exported rules. Default: 'json'.
        over (None | str | Unset): What exported SQL reads: `tables`, of which the model's
            features are queries, with a row for each example; or `features`, a table with the model's
            features as columns. Null: `tables` where the dataset has a feature set, else `features`.
            For format `sql` alone.
        if_none_match (str | Unset):

    Raises:
        errors.UnexpectedStatus: If the server returns an undocumented status code and Client.raise_on_unexpected_status is True.
        httpx.TimeoutException: If the request takes longer than Client.timeout.

    Returns:
        Any | Problem
    """

    return (
        await asyncio_detailed(
            rule_set_id=rule_set_id,
            client=client,
            format_=format_,
            over=over,
            if_none_match=if_none_match,
        )
    ).parsed
