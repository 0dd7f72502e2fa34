"""Rows of every table, as they were kept at every revision that had them."""

from typing import Any

Row = dict[str, Any]

_HASH = "a" * 64
_REQUEST: Row = {"seed": 1, "min_leaf_rows": 1}
_UPLOAD: Row = {"name": "naïve name", "sha256": _HASH, "size_bytes": 5_000_000_000, "created_at": 1.25}
_METADATA: Row = {"metadata": {"target": "t", "missing": None}}
_JOB: Row = {
    "kind": "prototype_sets", "artefact": "prs_1", "request": _REQUEST, "attempt": 1, "max_attempts": 3,
    "token": None, "lease_until": None, "not_before": 0.0, "deadline_seconds": 3600.0, "stage": "", "message": "",
    "created_at": 2.5, "started_at": 3.5, "request_id": "an-earlier-request",
    "caller": "key_1", "estimated_seconds": 2.5,
}  # fmt: skip
_ARTEFACT: Row = {
    "noun": "prototype_sets", "model": "mdl_1", "dataset": "ds_1", "request": _REQUEST, "created_at": 2.5,
    "relational_dataset": "rds_1", "feature_set": None, "generator_dataset": None,
}  # fmt: skip
_PROBLEM: Row = {
    "type": "/problems/job_failed", "title": "The job failed", "status": 500, "detail": "why", "code": "job_failed",
}  # fmt: skip
_KEY: Row = {
    "request_sha256": _HASH, "status": 202, "answer": {"id": "prs_1"}, "thing": "prs_1", "token": None,
    "created_at": 6.0,
}  # fmt: skip
_DESCRIPTION: Row = {
    "task": "classification", "ensemble": "random_forest", "ensemble_inferred": True, "classes": ["no", "yes"],
    "n_trees": 2, "n_nodes": 6, "n_leaves": 4, "max_depth": 1, "feature_names": ["a", "b"],
}  # fmt: skip
_LISTED: Row = {"n_classes": 2, "n_features": 2}

ROWS: dict[str, list[Row]] = {
    "models": [
        {
            "id": "mdl_1", **_UPLOAD, **_METADATA, "leaf_graph": _HASH, "ensemble": _HASH, "parity": {"n_rows": 3},
            "description": _DESCRIPTION, "listed": _LISTED,
        },
        {
            "id": "mdl_2", **_UPLOAD, **_METADATA, "leaf_graph": _HASH, "ensemble": _HASH, "parity": None,
            "name": None, "description": _DESCRIPTION, "listed": None,
        },
    ],
    "datasets": [
        {
            "id": "ds_1", **_UPLOAD, **_METADATA, "content": _HASH, "listed": {"n_rows": 3}, "feature_set": "fts_1",
            "source": {"files": "s3://lake/*.parquet", "n_files": 2},
            "summary": {"n_rows": 3, "columns": [{"name": "a", "role": "feature"}]},
        },
    ],
    "relational_datasets": [
        {
            "id": "rds_1", "name": "bank", "size_bytes": 5_000_000_000, "arrays": _HASH, "created_at": 1.5,
            "summary": {"tables": [{"name": "customer", "n_rows": 3}]}, **_METADATA, "listed": {"n_rows": 3},
        },
    ],
    "relational_tables": [
        {
            "dataset": "rds_1", "position": 0, "name": "customer", "sha256": _HASH, "size_bytes": 5_000_000_000,
            "content": _HASH,
        },
    ],
    "jobs": [
        {"id": "job_1", **_JOB, "status": "succeeded", "fraction": 1.0, "problem": None, "finished_at": 4.5},
        {
            "id": "job_2", **_JOB, "status": "running", "fraction": 0.5, "problem": None, "finished_at": None,
            "token": "t" * 32, "lease_until": 9.0,
        },
        {"id": "job_3", **_JOB, "status": "failed", "fraction": 0.0, "problem": _PROBLEM, "finished_at": 4.5},
    ],
    "artefacts": [
        {"id": "prs_1", **_ARTEFACT, "job": "job_1", "result": _HASH, "arrays": _HASH, "evaluation_dataset": "ds_1"},
        {"id": "prs_2", **_ARTEFACT, "job": "job_2", "result": None, "arrays": None, "evaluation_dataset": None},
    ],
    "artefact_files": [{"artefact": "prs_1", "name": "table", "object": _HASH}],
    "explainers": [
        {
            "id": "xpl_1", "name": None, "model": "mdl_1", "prototype_set": "prs_1", "rule_set": "prs_1",
            "approximation_tree": "prs_1", "request": {"model": "mdl_1"}, "created_at": 5.0,
        },
    ],
    "explainer_names": [
        {
            "id": "credit-risk", "explainer": "xpl_1", "last_change": "chg_1", "created_at": 5.5, "changed_at": 5.5,
        },
    ],
    "explainer_name_changes": [
        {
            "id": "chg_1", "name": "credit-risk", "explainer": "xpl_1", "previous_explainer": None, "forced": False,
            "caller": None, "created_at": 5.5,
        },
    ],
    "label_decisions": [
        {
            "id": "dec_1", "label_audit": "prs_1", "row": 6, "number": 1, "row_id": "naïve", "decision": "relabel",
            "label": "no", "new_label": "yes", "is_suggested": True, "note": None, "replaces": None,
            "caller": "key_1", "created_at": 5.6,
        },
    ],
    "explanations": [
        {
            "id": "xpn_1", "explainer": "xpl_1", "explainer_name": None, "row_id": "7", "caller": None,
            "model_sha256": _HASH, "provenance": {"service": "1"}, "revision": 1, "request": "{}", "response": "{}",
            "n_bytes": 4, "digest": _HASH, "created_at": 5.7,
        },
    ],
    "idempotency_keys": [{"caller": "", "key": "k1", **_KEY}, {"caller": "", "key": "k2", **_KEY}],
    "api_keys": [
        {"id": "key_1", "name": "n", "scopes": ["read"], "sha256": _HASH, "created_at": 7.0, "last_used_at": None},
    ],
    "database_ids": [{"position": 0, "id": "d" * 32}],
    "leaf_tables": [
        {
            "model": "mdl_1", "dataset": "ds_1", "revision": 1, "codes": _HASH, "outcome": _HASH, "created_at": 8.0,
            "size_bytes": 1000,
        },
    ],
}  # fmt: skip
