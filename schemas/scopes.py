"""Scopes: what a key is for, and which scope each method of HTTP needs for most nouns."""

from collections.abc import Mapping
from typing import Literal, get_args

Method = Literal["GET", "POST", "PUT", "PATCH", "DELETE"]
Scope = Literal["read", "write", "explain", "deploy", "audit", "review", "admin"]
SCOPES: tuple[Scope, ...] = get_args(Scope)
READ_AND_WRITE: Mapping[Method, Scope] = {
    "GET": "read",
    "POST": "write",
    "PUT": "write",
    "PATCH": "write",
    "DELETE": "write",
}
READ_AND_DEPLOY: Mapping[Method, Scope] = {**dict.fromkeys(READ_AND_WRITE, "deploy"), "GET": "read"}
READ_AND_REVIEW: Mapping[Method, Scope] = {**dict.fromkeys(READ_AND_WRITE, "review"), "GET": "read"}
AUDIT: Mapping[Method, Scope] = dict.fromkeys(READ_AND_WRITE, "audit")
ADMIN: Mapping[Method, Scope] = dict.fromkeys(READ_AND_WRITE, "admin")
