"""Parts: everything an operation may need, built once when the process starts."""

from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass

from storage.artefacts import ArtefactStore
from storage.database import Database
from storage.datasets import DatasetStore
from storage.explainers import ExplainerStore
from storage.idempotency import IdempotencyStore
from storage.jobs import JobStore
from storage.models import ModelStore
from storage.object_store import ObjectStore

from .explainer_cache import ExplainerCache
from .intake.runner import Intake
from .job_queue import JobQueue
from .session_cache import SessionCache
from .settings import ServiceSettings


@dataclass(frozen=True, slots=True)
class Parts:
    """The parts of one API process."""

    settings: ServiceSettings
    database: Database
    objects: ObjectStore
    models: ModelStore
    datasets: DatasetStore
    artefacts: ArtefactStore
    explainers: ExplainerStore
    idempotency: IdempotencyStore
    jobs: JobStore
    queue: JobQueue
    intake: Intake
    sessions: SessionCache
    explainer_cache: ExplainerCache
    batches: ThreadPoolExecutor  # one thread: calls of many rows wait for each other, not calls of one row for them

    def close(self) -> None:
        """Close what is open."""
        self.batches.shutdown(cancel_futures=True)
        self.database.close()


def build_parts(settings: ServiceSettings) -> Parts:
    """Open what the settings name; bring the tables up to date."""
    settings.data_dir.mkdir(mode=0o700, parents=True, exist_ok=True)
    database = Database(settings.storage.database_url)
    database.migrate()
    objects = ObjectStore(settings.storage.objects_dir)
    objects.sweep()
    models, datasets = ModelStore(database), DatasetStore(database)
    artefacts, explainers = ArtefactStore(database), ExplainerStore(database)
    sessions = SessionCache(models, objects, settings.warm_explainers)
    return Parts(
        settings=settings,
        database=database,
        objects=objects,
        models=models,
        datasets=datasets,
        artefacts=artefacts,
        explainers=explainers,
        idempotency=IdempotencyStore(database),
        jobs=JobStore(database),
        queue=JobQueue(settings.redis_url),
        intake=Intake(settings.intake),
        sessions=sessions,
        explainer_cache=ExplainerCache(settings.warm_explainers),
        batches=ThreadPoolExecutor(1, "batches"),
    )
