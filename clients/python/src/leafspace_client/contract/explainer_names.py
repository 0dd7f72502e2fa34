"""Models and operations of explainer names.

Written by scripts/generate_client.py from openapi.json.
"""

from __future__ import annotations

from datetime import datetime
from typing import Literal

from ..fields import UNSET, Unset
from ..operations import Request, segment
from ..records import Record


class ExplainerName(Record):
    """A name and the explainer that it means."""

    object_: Literal["explainer_name"] = "explainer_name"
    """Type of this object."""
    name: str
    """The name: lower-case letters, digits and hyphens, at most 63, a letter first."""
    explainer: str
    """Id of the explainer that the name means."""
    last_change: str
    """Id of the change that led to this state; in double quotes it is the entity tag, for `If-Match`."""
    created_at: datetime
    """Time of creation, in UTC (RFC 3339)."""
    changed_at: datetime
    """Time since when the name has meant this explainer, in UTC (RFC 3339)."""


class ExplainerNameChange(Record):
    """One change of what a name means."""

    object_: Literal["explainer_name_change"] = "explainer_name_change"
    """Type of this object."""
    id: str
    """Id of the change."""
    name: str
    """The name that was changed."""
    explainer: str | None
    """Id of the explainer that it has meant since; null where the name was deleted."""
    previous_explainer: str | None
    """Id of the explainer that it meant before, perhaps deleted by now; null where the name was new."""
    forced: bool
    """Whether other features or classes were allowed."""
    key: str | None
    """Id of the API key that made the change; null where none was required."""
    created_at: datetime
    """Time of creation, in UTC (RFC 3339)."""


class ExplainerNameRequest(Record):
    """Which explainer a name means from now on."""

    explainer: str
    """Id of the explainer."""
    force: bool | Unset = UNSET
    """Whether the features and classes of the model may differ from those of the explainer that the name meant before.
    """


class PageExplainerNameChange(Record):
    """One page of a list."""

    object_: Literal["list"] = "list"
    """Type of this object."""
    data: list[ExplainerNameChange]
    """Items of this page, in the order of the list."""
    next_cursor: str | Unset | None = UNSET
    """Cursor of the next page, to be sent as `cursor`; null on the last page."""


class PageExplainerName(Record):
    """One page of a list."""

    object_: Literal["list"] = "list"
    """Type of this object."""
    data: list[ExplainerName]
    """Items of this page, in the order of the list."""
    next_cursor: str | Unset | None = UNSET
    """Cursor of the next page, to be sent as `cursor`; null on the last page."""


def list_explainer_names(
    *, limit: int | Unset = UNSET, cursor: str | Unset | None = UNSET, explainer: str | Unset | None = UNSET
) -> Request[PageExplainerName]:
    """List names, newest first."""
    return Request(
        "GET",
        "/v1/explainer-names",
        query={"limit": limit, "cursor": cursor, "explainer": explainer},
        answer=PageExplainerName,
    )


def get_explainer_name(name: str) -> Request[ExplainerName]:
    """Read which explainer a name means; `ETag` changes with it."""
    return Request("GET", f"/v1/explainer-names/{segment(name)}", answer=ExplainerName)


def put_explainer_name(
    name: str,
    *,
    body: ExplainerNameRequest,
    if_match: str | Unset | None = UNSET,
    if_none_match: str | Unset | None = UNSET,
) -> Request[ExplainerName]:
    """Give an explainer a name, or a name another explainer: within two seconds every process answers by that one."""
    return Request(
        "PUT",
        f"/v1/explainer-names/{segment(name)}",
        headers={"If-Match": if_match, "If-None-Match": if_none_match},
        body=body,
        answer=ExplainerName,
    )


def delete_explainer_name(
    name: str, *, if_match: str | Unset | None = UNSET, if_none_match: str | Unset | None = UNSET
) -> Request[None]:
    """Delete a name; its explainer and its history stay."""
    return Request(
        "DELETE", f"/v1/explainer-names/{segment(name)}", headers={"If-Match": if_match, "If-None-Match": if_none_match}
    )


def list_explainer_name_changes(
    name: str, *, limit: int | Unset = UNSET, cursor: str | Unset | None = UNSET
) -> Request[PageExplainerNameChange]:
    """List who changed what a name means, and when, newest first; also of a name that was deleted."""
    return Request(
        "GET",
        f"/v1/explainer-names/{segment(name)}/history",
        query={"limit": limit, "cursor": cursor},
        answer=PageExplainerNameChange,
    )
