"""Remedies: the call of this package that helps after a failure, by the code of its problem.

Codes are those of the service's problem documents. Each code has its words here once; what a call is about follows from
the problem's detail, which quotes ids and names the kind of thing.
"""

import re
from collections.abc import Callable, Mapping
from typing import Any, TypeAlias, TypeVar

Remedy: TypeAlias = str | Callable[[str], str]
"""The words, or what makes them of a problem's detail; empty where no call helps."""

Client = TypeVar("Client", bound=type)

_CLIENTS: list[type] = []  # whose methods are named; it imports the errors, and they do not import it
_OF_NOTHING = re.compile(r"^no ([a-z][a-z ]*?) has the (id|name) ")
_LACKS = re.compile(r"^explainer .*register one with an? (\w+)$")
_OF_FEATURES = re.compile(r"\b(feature(s|_names)?|lacks?|columns?|(does|do) not fit)\b")
_JOB = re.compile(r"\bjob '(job_\w+)'")
_MAKING = ("create", "put")
_AGAIN = "the same create(…) starts another job"
_FEATURES = "client.models.get(model) has the features' names (.feature_names) and types (.feature_types)"
_KEY = 'pass Leafspace(url, api_key="lsk_…"), or set LEAFSPACE_API_KEY'
_SCOPES = "client.me() has what this key may; client.api_keys.create(…) makes one that may more, with scope admin"
_LATER = "Leafspace(url, retries=RetryPolicy(total_seconds=300)) tries for longer"


def named_by_remedies(client: Client) -> Client:
    """Have remedies name the methods of a client: the decorator of its class."""
    _CLIENTS.append(client)
    return client


def call_that_helps(code: str, detail: str) -> str:
    """Return which call helps after a failure, as words that end a message; empty where none does.

    Parameters
    ----------
    code
        Of the problem, such as ``not_found``.
    detail
        Of the problem.
    """
    remedy = _REMEDIES.get(code, "")
    return remedy if isinstance(remedy, str) else remedy(detail)


def _find_or_make(detail: str) -> str:
    """Return the calls that list the things of a kind, and that make one."""
    found = _OF_NOTHING.match(detail)
    singular = f"{found[1].replace(' ', '_')}{'_name' if found[2] == 'name' else ''}" if found else ""
    collection = f"{singular[:-1]}ies" if singular.endswith("ty") else f"{singular}s"
    makes = _making(singular, collection)
    if makes is None:
        return ""
    return f"client.{collection}.list() yields those that exist" + (f"; {makes} makes one" if makes else "")


def _making(singular: str, collection: str) -> str | None:
    """Return the call that makes a thing; empty where none does, and None where there is no such collection."""
    client = next(iter(_CLIENTS), None)
    if hasattr(client, f"register_{singular}"):
        return f"client.register_{singular}(…)"
    late: Any = getattr(client, collection, None)
    if late is None:
        return None
    owner = late.collection_type()
    return next((f"client.{collection}.{verb}(…)" for verb in _MAKING if hasattr(owner, verb)), "")


def _complete(detail: str) -> str:
    """Return the call that makes an explainer with what one lacks."""
    lacking = _LACKS.search(detail)
    return f"client.explainers.create(model, prototype_set, {lacking[1]}=…) makes one that has it" if lacking else ""


def _features(detail: str) -> str:
    """Return the call that names the features; targets that do not fit the model are not mended by it."""
    return _FEATURES if _OF_FEATURES.search(detail) else ""


def _wait(detail: str) -> str:
    job = _JOB.search(detail)
    waits = f", or client.jobs.wait({job[1]!r})" if job else ""
    return f"call wait() on it{waits}; after a failure {_AGAIN}"


_REMEDIES: Mapping[str, Remedy] = {
    "unauthenticated": _KEY,
    "insufficient_scope": _SCOPES,
    "not_found": _find_or_make,
    "in_use": "delete() of its collection takes what is named away; client.jobs.cancel(job) ends a job",
    "artefact_not_ready": _wait,
    "validation_failed": _complete,
    "precondition_failed": "get() of its collection has the present state",
    "dataset_changed": "client.register_dataset(…) registers the files as they are now",
    "feature_hidden": _AGAIN,
    "too_many_rows": "client.register_dataset(rows) and client.explanation_sets.create(explainer, dataset) explain all",
    "unknown_feature": _FEATURES,
    "bad_feature_type": _FEATURES,
    "schema_mismatch": _features,
    "model_not_onnx": "client.register_model(model) takes the fitted model itself, and converts it",
    "model_not_a_tree_ensemble": "client.register_model(model, X, oracle_only=True) registers it, for one tree",
    "model_without_leaves": 'client.approximation_trees.create(model, dataset, method="cart") needs no leaves',
    "job_failed": _AGAIN,
    "job_cancelled": _AGAIN,
    "worker_lost": _AGAIN,
    "cluster_worker_lost": _AGAIN,
    "rate_limited": _LATER,
    "unavailable": _LATER,
}
