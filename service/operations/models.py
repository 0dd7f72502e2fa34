"""Register, read and delete models."""

from typing import Any, BinaryIO

import orjson

from schemas.contract import Page
from schemas.models import Model, ModelMetadata, ModelSummary
from storage.models import NewModel
from tree_explainers.onnx_models.sniffing import HEAD_BYTES, sniff_model

from ..app_context import Parts
from .deletion import delete_with_objects
from .uploads import Upload, received


def register_model(parts: Parts, file: BinaryIO, metadata: ModelMetadata) -> tuple[Model, bool]:
    """Vet and keep a model; return it, and whether it is new.

    Raises
    ------
    ModelRefused
        What is wrong with it; nothing is kept then.
    """
    sniff_model(file.read(HEAD_BYTES))
    file.seek(0)
    with received(parts.objects, file, "models", metadata) as upload:
        known = parts.models.find(upload.id)
        return (known, False) if known else _vet_and_keep(parts, upload)


def list_models(parts: Parts, limit: int, cursor: str | None, **filters: str) -> Page[ModelSummary]:
    """Return one page of models, newest first."""
    return parts.models.list(limit, cursor, **filters)


def get_model(parts: Parts, model_id: str) -> Model:
    """Return a model."""
    return parts.models.get(model_id).view


def write_model(parts: Parts, model_id: str) -> bytes:
    """Return a model as JSON: a ``Model``."""
    return orjson.dumps(parts.models.document(model_id))


def model_bytes(parts: Parts, model_id: str) -> int:
    """Return how large a model's description is as JSON; raise ``NotFound`` where there is none."""
    return parts.models.n_bytes(model_id)


def rename_model(parts: Parts, model_id: str, name: str | None) -> None:
    """Give a model another name, or none."""
    parts.models.rename(model_id, name)


def delete_model(parts: Parts, model_id: str) -> None:
    """Forget a model that nothing is built on."""
    delete_with_objects(parts, lambda: parts.models.delete(model_id))
    parts.sessions.forget(model_id)


def _vet_and_keep(parts: Parts, upload: Upload) -> tuple[Model, bool]:
    vetted = parts.intake.read_model(upload.path, upload.metadata)
    size_bytes = upload.size_bytes
    with parts.objects.keeping():
        model = NewModel(
            id=upload.id,
            name=upload.metadata["name"],
            sha256=parts.objects.put_file(upload.path),
            size_bytes=size_bytes,
            leaf_graph=parts.objects.put_file(vetted.leaf_graph),
            ensemble=parts.objects.put_file(vetted.ensemble),
            description=vetted.description,
            metadata=_without_parity_rows(upload.metadata),
            parity=vetted.parity,
        )
        return parts.models.add(model)


def _without_parity_rows(document: dict[str, Any]) -> dict[str, Any]:
    # They have done their work; a caller's rows are not kept longer than needed.
    return {**document, "parity": None}
