"""The sender of a request, and the name under which it is counted."""

from collections.abc import Mapping
from typing import Any

from ..callers import NO_CALLER
from .addresses import THIS_MACHINE, network_of


def counted_as(scope: Mapping[str, Any]) -> str:
    """Return the name under which the sender of a request is counted: a key, or an address without one."""
    caller = scope.get("caller")
    if caller is not None and caller.key_id is not None:
        key_id: str = caller.key_id
        return key_id
    client = scope.get("client")
    return THIS_MACHINE if client is None else network_of(client[0])


def limited_caller(scope: Mapping[str, Any]) -> str | None:
    """Return the caller that is counted; None for this machine, or a proxy on it, where no keys are required."""
    caller = counted_as(scope)
    return None if caller == THIS_MACHINE and scope.get("caller") is not NO_CALLER else caller
