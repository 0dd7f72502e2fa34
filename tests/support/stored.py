"""Rows of models, datasets and artefacts to try stores with: a real model's description, and a dataset's summary."""

import json
import secrets
import time
from collections.abc import Mapping
from typing import Any

from schemas.explainers import ExplainerRequest
from storage.artefacts import Artefact, ArtefactStore, NewArtefact, publish
from storage.attempts import AttemptStore
from storage.database import Database
from storage.datasets import DatasetStore, NewDataset
from storage.explainers import ExplainerStore, NewExplainer
from storage.explanations import ExplanationRow, digest_of
from storage.jobs import JobStore
from storage.models import ModelStore, NewModel

from .models import fitted

_COLUMN = {"n_missing": 0, "n_categories": None, "categories": None, "min": 0.0, "max": 1.0, "type": "number"}


def some_hash() -> str:
    return secrets.token_hex(32)


def new_model(identifier: str, **changes: Any) -> NewModel:  # any field
    values: dict[str, Any] = {
        "id": identifier,
        "name": None,
        "sha256": some_hash(),
        "size_bytes": 10,
        "leaf_graph": some_hash(),
        "ensemble": some_hash(),
        "description": fitted("decision_tree_binary").read.description.to_json(),
        "metadata": {},
        "parity": None,
    }
    return NewModel(**(values | changes))


def new_dataset(identifier: str, **changes: Any) -> NewDataset:  # any field
    columns = [{"name": f"f{position}", "role": "feature", **_COLUMN} for position in range(30)]
    values: dict[str, Any] = {
        "id": identifier,
        "name": None,
        "sha256": some_hash(),
        "size_bytes": 10,
        "content": some_hash(),
        "summary": {"n_rows": 3, "columns": [*columns, {"name": "t", "role": "target", **_COLUMN}]},
        "metadata": {"target": "t"},
    }
    return NewDataset(**(values | changes))


def kept_explanation(identifier: str, number: int = 0, **changes: Any) -> ExplanationRow:  # any field
    """Return an explanation of row ``number`` as it would be stored."""
    response = json.dumps({"id": identifier, "row_id": str(number)})
    values: dict[str, Any] = {
        "id": identifier,
        "explainer": "xpl_1",
        "explainer_name": None,
        "row_id": str(number),
        "caller": "key_1",
        "model_sha256": some_hash(),
        "provenance": {"service": "1.0"},
        "revision": 1,
        "dataset": "ds_1",
        "dictionary_revision": 0,
        "request": "{}",
        "response": response,
        "n_bytes": len(response) + 2,
        "digest": digest_of(response),
        "created_at": time.time(),
    }
    return ExplanationRow(**(values | changes))


class Shelf:
    """All stores over one database, holding a model ``mdl_1`` and a dataset ``ds_1``."""

    def __init__(self, database: Database) -> None:
        self.database = database
        self.models, self.datasets = ModelStore(database), DatasetStore(database)
        self.artefacts, self.explainers = ArtefactStore(database), ExplainerStore(database)
        self.jobs, self.attempts = JobStore(database), AttemptStore(database)
        self.models.add(new_model("mdl_1"))
        self.datasets.add(new_dataset("ds_1"))

    def create(self, identifier: str = "prs_1", **changes: Any) -> tuple[Artefact, bool]:  # any field
        values: dict[str, Any] = {
            "id": identifier,
            "noun": "prototype_sets",
            "model": "mdl_1",
            "dataset": "ds_1",
            "evaluation_dataset": None,
            "request": {"seed": 1},
        }
        new = NewArtefact(**(values | changes))
        with self.artefacts.requested(new) as requested:
            if requested.needs_job:
                requested.job = self.jobs.add(requested.connection, new.noun, new.id, new.request, 60)
        return requested.artefact, requested.is_new_job

    def make(
        self,
        artefact: Artefact,
        result: str | None = None,
        arrays: str | None = None,
        files: Mapping[str, str] | None = None,
    ) -> None:
        """End the artefact's job, and publish a result."""
        claim = self.attempts.claim(artefact.job, 30)
        assert claim is not None
        kept = (result or some_hash(), arrays or some_hash(), files)
        assert self.attempts.succeed(claim, lambda connection: publish(connection, artefact.id, *kept))

    def explain(self, identifier: str, prototype_set: str = "prs_1", model: str = "mdl_1") -> bool:
        """Register an explainer; return whether it is new."""
        return self.explainers.add(
            NewExplainer(identifier, ExplainerRequest(model=model, prototype_set=prototype_set))
        )[1]
