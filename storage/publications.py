"""Publications: the feature set, the model and the dataset that a job publishes, whole or not at all."""

from dataclasses import dataclass

from sqlalchemy import Connection, select

from .artefacts import NewArtefact, add_ready
from .datasets import NewDataset, add_dataset
from .models import NewModel, add_model
from .records import require
from .tables import artefacts


@dataclass(frozen=True, slots=True)
class Publication:
    """Ordinary things that a job publishes. Each is known by what it was made from: one that is there already stays."""

    feature_set: NewArtefact | None = None
    feature_set_result: str = ""  # object
    model: NewModel | None = None
    dataset: NewDataset | None = None
    is_artefact: bool = False  # whether the dataset is what the job makes, whose id was not known before

    @property
    def columns(self) -> dict[str, str]:
        """Ids of what is published, by the column of the artefact that refers to it."""
        things = {"feature_set": self.feature_set, "model": self.model, "dataset": self.dataset}
        return {name: thing.id for name, thing in things.items() if thing is not None}

    @property
    def objects(self) -> tuple[str, ...]:
        """All objects that its rows refer to."""
        of_model = () if self.model is None else (self.model.sha256, self.model.leaf_graph, self.model.ensemble)
        of_dataset = () if self.dataset is None else (self.dataset.sha256, self.dataset.content)
        return (*((self.feature_set_result,) if self.feature_set else ()), *of_model, *of_dataset)


def publish_things(connection: Connection, publication: Publication) -> None:
    """Keep what a job published, in the transaction that ends the job.

    Raises
    ------
    NotFound
        If the feature set of a published dataset was deleted meanwhile.
    """
    if publication.feature_set is not None:
        add_ready(connection, publication.feature_set, publication.feature_set_result)
    if publication.model is not None:
        add_model(connection, publication.model)
    if (dataset := publication.dataset) is not None:
        if dataset.feature_set is not None:
            # It stays until the transaction ends.
            query = select(artefacts.c.id).where(artefacts.c.id == dataset.feature_set).with_for_update()
            require(connection.execute(query).mappings().first(), "feature_sets", dataset.feature_set)
        add_dataset(connection, dataset)
