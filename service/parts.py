"""Parts: everything an operation may need, built once when the process starts."""

from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass

from storage.api_keys import ApiKeyStore
from storage.artefacts import ArtefactStore
from storage.database import Database
from storage.datasets import DatasetStore
from storage.explainers import ExplainerStore
from storage.idempotency import IdempotencyStore
from storage.jobs import JobStore
from storage.models import ModelStore
from storage.object_store import ObjectStore
from storage.opening import open_objects

from .availability import Availability
from .batches import Batches
from .edge.draining import Draining
from .explainer_cache import ExplainerCache
from .intake.runner import Intake
from .job_queue import JobQueue
from .key_ring import KeyRing
from .session_cache import SessionCache
from .settings import ServiceSettings

_OBJECTS_FRESH_SECONDS = 5.0


@dataclass(frozen=True, slots=True)
class Parts:
    """The parts of one API process."""

    settings: ServiceSettings
    database: Database
    objects: ObjectStore
    objects_available: Availability
    models: ModelStore
    datasets: DatasetStore
    artefacts: ArtefactStore
    explainers: ExplainerStore
    idempotency: IdempotencyStore
    jobs: JobStore
    api_keys: ApiKeyStore
    keys: KeyRing
    queue: JobQueue
    intake: Intake
    sessions: SessionCache
    explainer_cache: ExplainerCache
    batches: Batches
    health_checks: ThreadPoolExecutor  # one thread, so that a database that hangs holds up no other
    draining: Draining

    def close(self) -> None:
        """Close what is open."""
        self.keys.stop()
        self.health_checks.shutdown(wait=False, cancel_futures=True)
        self.batches.close()
        self.database.close()


def build_parts(settings: ServiceSettings, draining: Draining | None = None) -> Parts:
    """Open what the settings name; bring the tables up to date."""
    settings.data_dir.mkdir(mode=0o700, parents=True, exist_ok=True)
    database = Database(settings.storage.database_url)
    database.migrate()
    objects = open_objects(settings.storage)
    objects.sweep()
    models, datasets = ModelStore(database), DatasetStore(database)
    artefacts, explainers = ArtefactStore(database), ExplainerStore(database)
    sessions = SessionCache(models, objects, settings.warm_explainers)
    api_keys = ApiKeyStore(database)
    keys = KeyRing(api_keys)
    if settings.keys_required:
        keys.start()
    return Parts(
        settings=settings,
        database=database,
        objects=objects,
        objects_available=Availability(objects.is_available, _OBJECTS_FRESH_SECONDS),
        models=models,
        datasets=datasets,
        artefacts=artefacts,
        explainers=explainers,
        idempotency=IdempotencyStore(database),
        jobs=JobStore(database),
        api_keys=api_keys,
        keys=keys,
        queue=JobQueue(settings.redis_url),
        intake=Intake(settings.intake),
        sessions=sessions,
        explainer_cache=ExplainerCache(settings.warm_explainers),
        batches=Batches(settings.max_waiting_rows),
        health_checks=ThreadPoolExecutor(1, "health checks"),
        draining=draining or Draining(),
    )
