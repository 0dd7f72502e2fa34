from http import HTTPStatus
from typing import Any

import httpx

from ... import errors
from ...client import AuthenticatedClient, Client
from ...models.page_report import PageReport
from ...models.problem import Problem
from ...types import UNSET, Response, Unset


def _get_kwargs(
    *,
    limit: int | Unset = 50,
    cursor: None | str | Unset = UNSET,
    explainer: None | str | Unset = UNSET,
    rule_set: None | str | Unset = UNSET,
    approximation_tree: None | str | Unset = UNSET,
    map_: None | str | Unset = UNSET,
    label_audit: None | str | Unset = UNSET,
    compare_with: None | str | Unset = UNSET,
    newer_dataset: None | str | Unset = UNSET,
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

    json_explainer: None | str | Unset
    if isinstance(explainer, Unset):
        json_explainer = UNSET
    else:
        json_explainer = explainer
    params["explainer"] = json_explainer

    json_rule_set: None | str | Unset
    if isinstance(rule_set, Unset):
        json_rule_set = UNSET
    else:
        json_rule_set = rule_set
    params["rule_set"] = json_rule_set

    json_approximation_tree: None | str | Unset
    if isinstance(approximation_tree, Unset):
        json_approximation_tree = UNSET
    else:
        json_approximation_tree = approximation_tree
    params["approximation_tree"] = json_approximation_tree

    json_map_: None | str | Unset
    if isinstance(map_, Unset):
        json_map_ = UNSET
    else:
        json_map_ = map_
    params["map"] = json_map_

    json_label_audit: None | str | Unset
    if isinstance(label_audit, Unset):
        json_label_audit = UNSET
    else:
        json_label_audit = label_audit
    params["label_audit"] = json_label_audit

    json_compare_with: None | str | Unset
    if isinstance(compare_with, Unset):
        json_compare_with = UNSET
    else:
        json_compare_with = compare_with
    params["compare_with"] = json_compare_with

    json_newer_dataset: None | str | Unset
    if isinstance(newer_dataset, Unset):
        json_newer_dataset = UNSET
    else:
        json_newer_dataset = newer_dataset
    params["newer_dataset"] = json_newer_dataset

    json_status: None | str | Unset
    if isinstance(status, Unset):
        json_status = UNSET
    else:
        json_status = status
    params["status"] = json_status

    params = {k: v for k, v in params.items() if v is not UNSET and v is not None}

    _kwargs: dict[str, Any] = {
        "method": "get",
        "url": "/v1/reports",
        "params": params,
    }

    return _kwargs


def _parse_response(*, client: AuthenticatedClient | Client, response: httpx.Response) -> PageReport | Problem | None:
    if response.status_code == 200:
        response_200 = PageReport.from_dict(response.json())

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
) -> Response[PageReport | Problem]:
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
    explainer: None | str | Unset = UNSET,
    rule_set: None | str | Unset = UNSET,
    approximation_tree: None | str | Unset = UNSET,
    map_: None | str | Unset = UNSET,
    label_audit: None | str | Unset = UNSET,
    compare_with: None | str | Unset = UNSET,
    newer_dataset: None | str | Unset = UNSET,
    status: None | str | Unset = UNSET,
) -> Response[PageReport | Problem]:
    """List Reports

     List reports, newest first, without their results.

    Args:
        limit (int | Unset): Maximum number of items of the page, which may have fewer. Default:
            50.
        cursor (None | str | Unset): Cursor: `next_cursor` of the previous page; default: the
            first page.
        explainer (None | str | Unset): Only reports that were made from this explainer: its id.
        rule_set (None | str | Unset): Only reports that were made from this rule set: its id.
        approximation_tree (None | str | Unset): Only reports that were made from this
            approximation tree: its id.
        map_ (None | str | Unset): Only reports that were made from this map: its id.
        label_audit (None | str | Unset): Only reports that were made from this label audit: its
            id.
        compare_with (None | str | Unset): Only reports that were made from this compare with: its
            id.
        newer_dataset (None | str | Unset): Only reports that were made from this newer dataset:
            its id.
        status (None | str | Unset): Only reports of this status.

    Raises:
        errors.UnexpectedStatus: If the server returns an undocumented status code and Client.raise_on_unexpected_status is True.
        httpx.TimeoutException: If the request takes longer than Client.timeout.

    Returns:
        Response[PageReport | Problem]
    """

    kwargs = _get_kwargs(
        limit=limit,
        cursor=cursor,
        explainer=explainer,
        rule_set=rule_set,
        approximation_tree=approximation_tree,
        map_=map_,
        label_audit=label_audit,
        compare_with=compare_with,
        newer_dataset=newer_dataset,
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
    explainer: None | str | Unset = UNSET,
    rule_set: None | str | Unset = UNSET,
    approximation_tree: None | str | Unset = UNSET,
    map_: None | str | Unset = UNSET,
    label_audit: None | str | Unset = UNSET,
    compare_with: None | str | Unset = UNSET,
    newer_dataset: None | str | Unset = UNSET,
    status: None | str | Unset = UNSET,
) -> PageReport | Problem | None:
    """List Reports

     List reports, newest first, without their results.

    Args:
        limit (int | Unset): Maximum number of items of the page, which may have fewer. Default:
            50.
        cursor (None | str | Unset): Cursor: `next_cursor` of the previous page; default: the
            first page.
        explainer (None | str | Unset): Only reports that were made from this explainer: its id.
        rule_set (None | str | Unset): Only reports that were made from this rule set: its id.
        approximation_tree (None | str | Unset): Only reports that were made from this
            approximation tree: its id.
        map_ (None | str | Unset): Only reports that were made from this map: its id.
        label_audit (None | str | Unset): Only reports that were made from this label audit: its
            id.
        compare_with (None | str | Unset): Only reports that were made from this compare with: its
            id.
        newer_dataset (None | str | Unset): Only reports that were made from this newer dataset:
            its id.
        status (None | str | Unset): Only reports of this status.

    Raises:
        errors.UnexpectedStatus: If the server returns an undocumented status code and Client.raise_on_unexpected_status is True.
        httpx.TimeoutException: If the request takes longer than Client.timeout.

    Returns:
        PageReport | Problem
    """

    return sync_detailed(
        client=client,
        limit=limit,
        cursor=cursor,
        explainer=explainer,
        rule_set=rule_set,
        approximation_tree=approximation_tree,
        map_=map_,
        label_audit=label_audit,
        compare_with=compare_with,
        newer_dataset=newer_dataset,
        status=status,
    ).parsed


async def asyncio_detailed(
    *,
    client: AuthenticatedClient,
    limit: int | Unset = 50,
    cursor: None | str | Unset = UNSET,
    explainer: None | str | Unset = UNSET,
    rule_set: None | str | Unset = UNSET,
    approximation_tree: None | str | Unset = UNSET,
    map_: None | str | Unset = UNSET,
    label_audit: None | str | Unset = UNSET,
    compare_with: None | str | Unset = UNSET,
    newer_dataset: None | str | Unset = UNSET,
    status: None | str | Unset = UNSET,
) -> Response[PageReport | Problem]:
    """List Reports

     List reports, newest first, without their results.

    Args:
        limit (int | Unset): Maximum number of items of the page, which may have fewer. Default:
            50.
        cursor (None | str | Unset): Cursor: `next_cursor` of the previous page; default: the
            first page.
        explainer (None | str | Unset): Only reports that were made from this explainer: its id.
        rule_set (None | str | Unset): Only reports that were made from this rule set: its id.
        approximation_tree (None | str | Unset): Only reports that were made from this
            approximation tree: its id.
        map_ (None | str | Unset): Only reports that were made from this map: its id.
        label_audit (None | str | Unset): Only reports that were made from this label audit: its
            id.
        compare_with (None | str | Unset): Only reports that were made from this compare with: its
            id.
        newer_dataset (None | str | Unset): Only reports that were made from this newer dataset:
            its id.
        status (None | str | Unset): Only reports of this status.

    Raises:
        errors.UnexpectedStatus: If the server returns an undocumented status code and Client.raise_on_unexpected_status is True.
        httpx.TimeoutException: If the request takes longer than Client.timeout.

    Returns:
        Response[PageReport | Problem]
    """

    kwargs = _get_kwargs(
        limit=limit,
        cursor=cursor,
        explainer=explainer,
        rule_set=rule_set,
        approximation_tree=approximation_tree,
        map_=map_,
        label_audit=label_audit,
        compare_with=compare_with,
        newer_dataset=newer_dataset,
        status=status,
    )

    response = await client.get_async_httpx_client().request(**kwargs)

    return _build_response(client=client, response=response)


async def asyncio(
    *,
    client: AuthenticatedClient,
    limit: int | Unset = 50,
    cursor: None | str | Unset = UNSET,
    explainer: None | str | Unset = UNSET,
    rule_set: None | str | Unset = UNSET,
    approximation_tree: None | str | Unset = UNSET,
    map_: None | str | Unset = UNSET,
    label_audit: None | str | Unset = UNSET,
    compare_with: None | str | Unset = UNSET,
    newer_dataset: None | str | Unset = UNSET,
    status: None | str | Unset = UNSET,
) -> PageReport | Problem | None:
    """List Reports

     List reports, newest first, without their results.

    Args:
        limit (int | Unset): Maximum number of items of the page, which may have fewer. Default:
            50.
        cursor (None | str | Unset): Cursor: `next_cursor` of the previous page; default: the
            first page.
        explainer (None | str | Unset): Only reports that were made from this explainer: its id.
        rule_set (None | str | Unset): Only reports that were made from this rule set: its id.
        approximation_tree (None | str | Unset): Only reports that were made from this
            approximation tree: its id.
        map_ (None | str | Unset): Only reports that were made from this map: its id.
        label_audit (None | str | Unset): Only reports that were made from this label audit: its
            id.
        compare_with (None | str | Unset): Only reports that were made from this compare with: its
            id.
        newer_dataset (None | str | Unset): Only reports that were made from this newer dataset:
            its id.
        status (None | str | Unset): Only reports of this status.

    Raises:
        errors.UnexpectedStatus: If the server returns an undocumented status code and Client.raise_on_unexpected_status is True.
        httpx.TimeoutException: If the request takes longer than Client.timeout.

    Returns:
        PageReport | Problem
    """

    return (
        await asyncio_detailed(
            client=client,
            limit=limit,
            cursor=cursor,
            explainer=explainer,
            rule_set=rule_set,
            approximation_tree=approximation_tree,
            map_=map_,
            label_audit=label_audit,
            compare_with=compare_with,
            newer_dataset=newer_dataset,
            status=status,
        )
    ).parsed
