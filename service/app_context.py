"""AppContext: everything an operation may need, built once when the process starts."""

from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from typing import Any

from explanations.nested_instances import WarmFeatureSet
from explanations.row_tables import RowTable
from explanations.warm_explainer import WarmExplainer
from storage.api_keys import ApiKeyStore
from storage.artefacts import ArtefactStore
from storage.commit_watch import CommitWatch
from storage.database import Database
from storage.database_file import has_space, keep_reserve
from storage.dataset_files.recent_columns import RecentColumns
from storage.datasets import DatasetStore, StoredDataset
from storage.dictionaries import DictionaryStore
from storage.errors import StorageUnavailable
from storage.explainer_names import ExplainerNameStore
from storage.explainers import ExplainerStore
from storage.explanations import ExplanationStore
from storage.idempotency import IdempotencyStore
from storage.job_notifications import JobNotifier
from storage.jobs import JobStore
from storage.label_decisions import LabelDecisionStore
from storage.models import ModelStore
from storage.object_store import ObjectStore
from storage.recently_used import RecentlyUsed
from storage.relational_datasets import RelationalDatasetStore
from storage.remote_objects import open_objects
from storage.settings import REQUESTS
from storage.store_pairs import make_pair
from storage.worker_heartbeats import WorkerHeartbeats

from .admission.batches import Batches
from .admission.joint_calls import JointCalls
from .admission.response_memory import ResponseMemory
from .admission.shared_memory import SharedMemory
from .background.explanation_log import ExplanationLog
from .background.health_watch import Availability, HealthWatch
from .background.job_watch import JobWatch
from .caches.dataset_contents import DatasetContents, Deletions
from .caches.dictionary_revisions import DictionaryRevisions
from .caches.drawing_cache import DrawingCache
from .caches.explainer_directory import ExplainerDirectory
from .caches.key_ring import KeyRing
from .caches.page_codes import PageCodes
from .caches.warm_cache import LoadingCache, RequestLoops, SessionCache, WarmCache
from .draining import Draining
from .settings import ServiceSettings
from .upload_sandbox.runner import UploadReader

_FRESH_SECONDS, _REDIS_FRESH_SECONDS = 5.0, 1.0
_SMALL_SHARE = 4  # of the memory for answers, a quarter is kept for lists and small ones
_MOST_DESCRIBED = 16  # datasets; one of 10,000 columns takes some MiB
_TABLE_BYTES, _LARGEST_TABLE_SHARE = 64 << 20, 2  # of rows in memory: 100,000 of 30 features take 28 MB


@dataclass(frozen=True, slots=True)
class AppContext:
    """What operations use: settings, stores, caches and limits of one API process."""

    settings: ServiceSettings
    database: Database
    background_database: Database  # the same rows, by connections for which no request waits
    health: HealthWatch
    objects: ObjectStore
    objects_available: Availability
    models: ModelStore
    datasets: DatasetStore
    dictionaries: DictionaryStore
    dictionary_revisions: DictionaryRevisions
    relational_datasets: RelationalDatasetStore
    artefacts: ArtefactStore
    label_decisions: LabelDecisionStore
    explainers: ExplainerStore
    explainer_names: ExplainerNameStore
    directory: ExplainerDirectory
    explanations: ExplanationStore
    explanation_log: ExplanationLog | None  # None: none are stored
    idempotency: IdempotencyStore
    jobs: JobStore
    job_watch: JobWatch
    api_keys: ApiKeyStore
    keys: KeyRing
    page_codes: PageCodes
    notifier: JobNotifier
    heartbeats: WorkerHeartbeats
    redis_available: Availability
    upload_reader: UploadReader
    loops: RequestLoops
    sessions: SessionCache
    explainer_cache: LoadingCache[WarmExplainer]
    feature_set_cache: LoadingCache[WarmFeatureSet]
    batches: Batches
    joint_calls: JointCalls
    drawings: DrawingCache
    described_datasets: LoadingCache[StoredDataset]  # whose rows are named by their ids
    dataset_contents: DatasetContents  # of the same
    row_tables: RecentlyUsed[RowTable]  # of the same, by content, dataset and model
    recent_columns: RecentColumns  # of those that are too large for tables
    response_memory: ResponseMemory
    small_response_memory: ResponseMemory  # of lists and small answers, which large ones cannot shut out
    download_memory: ResponseMemory
    draining: Draining

    def cache_counts(self) -> dict[str, tuple[int, int, int]]:
        """Return hits, misses and size of each cache of what is warm."""
        caches: dict[str, WarmCache[Any]] = {
            "explainers": self.explainer_cache,
            "feature_sets": self.feature_set_cache,
            "sessions": self.sessions,
        }
        return {name: (cache.n_hits, cache.n_misses, len(cache)) for name, cache in caches.items()}

    def close(self) -> None:
        """Close what is open."""
        self.keys.stop()
        self.directory.stop()
        self.dictionary_revisions.stop()
        self.health.close()
        self.batches.close()
        self.loops.close()
        if self.explanation_log is not None:
            self.explanation_log.stop()
        self.response_memory.close()
        self.small_response_memory.close()
        self.download_memory.close()
        self.database.close()
        self.background_database.close()


def build_context(
    settings: ServiceSettings, draining: Draining | None = None, shared: SharedMemory | None = None
) -> AppContext:
    """Open what the settings name; bring the tables up to date."""
    loops = RequestLoops()
    loops.compile()
    settings.data_dir.mkdir(mode=0o700, parents=True, exist_ok=True)
    database, background_database = (Database(settings.storage.database_url, REQUESTS) for _ in range(2))
    database.migrate()
    objects = open_objects(settings.storage)
    objects.sweep()
    with suppress(StorageUnavailable):
        make_pair(database, objects)
    keep_reserve(settings.data_dir)
    context = _context_over(settings, (database, background_database), objects, loops, draining or Draining(), shared)
    if context.models.has_any() or context.relational_datasets.has_any():
        loops.load_soon()
    context.directory.start()
    context.dictionary_revisions.start()
    if context.explanation_log is not None:
        context.explanation_log.start()
    if settings.keys_required:
        context.keys.start()
    return context


def _context_over(
    settings: ServiceSettings,
    databases: tuple[Database, Database],
    objects: ObjectStore,
    loops: RequestLoops,
    draining: Draining,
    shared: SharedMemory | None,
) -> AppContext:
    database, background_database = databases
    models, notifier = ModelStore(database), JobNotifier(settings.redis_url)
    redis_available = Availability(notifier.is_available, _REDIS_FRESH_SECONDS)
    objects_available = Availability(objects.is_available, _FRESH_SECONDS)
    n_small_bytes = settings.max_answer_bytes // _SMALL_SHARE
    return AppContext(
        settings=settings,
        database=database,
        background_database=background_database,
        health=_health_watch(settings, database, background_database, redis_available, objects_available),
        objects=objects,
        objects_available=objects_available,
        models=models,
        datasets=DatasetStore(database),
        dictionaries=DictionaryStore(database),
        dictionary_revisions=DictionaryRevisions(
            DictionaryStore(background_database), CommitWatch(background_database)
        ),
        relational_datasets=RelationalDatasetStore(database),
        artefacts=ArtefactStore(database),
        label_decisions=LabelDecisionStore(database),
        explainers=ExplainerStore(database),
        explainer_names=ExplainerNameStore(database),
        directory=ExplainerDirectory(ExplainerNameStore(background_database), CommitWatch(background_database)),
        explanations=ExplanationStore(database),
        explanation_log=_explanation_log(settings, database),
        idempotency=IdempotencyStore(database),
        jobs=JobStore(database),
        job_watch=JobWatch(JobStore(background_database), draining, CommitWatch(background_database)),
        api_keys=ApiKeyStore(database),
        keys=KeyRing(ApiKeyStore(background_database)),
        page_codes=PageCodes(shared),
        notifier=notifier,
        heartbeats=WorkerHeartbeats(notifier.redis),
        redis_available=redis_available,
        upload_reader=UploadReader(settings.upload_reader),
        loops=loops,
        sessions=SessionCache(models, objects, settings.warm_explainers, loops.load),
        explainer_cache=LoadingCache(settings.warm_explainers, loops.load),
        feature_set_cache=LoadingCache(settings.warm_explainers, loops.load),
        drawings=DrawingCache(),
        described_datasets=LoadingCache(_MOST_DESCRIBED),
        dataset_contents=DatasetContents(DatasetStore(database), Deletions(shared)),
        row_tables=RecentlyUsed[RowTable](_TABLE_BYTES, _LARGEST_TABLE_SHARE),
        recent_columns=RecentColumns(),
        batches=Batches(settings.max_waiting_seconds, ResponseMemory(settings.max_answer_bytes)),
        joint_calls=JointCalls(),
        response_memory=ResponseMemory(settings.max_answer_bytes - n_small_bytes),
        small_response_memory=ResponseMemory(n_small_bytes),
        download_memory=ResponseMemory(settings.max_download_bytes),
        draining=draining,
    )


def _explanation_log(settings: ServiceSettings, database: Database) -> ExplanationLog | None:
    if not settings.store_explanations:
        return None
    return ExplanationLog(ExplanationStore(database).add, settings.max_unwritten_explanation_bytes)


def _health_watch(
    settings: ServiceSettings,
    database: Database,
    background_database: Database,
    redis: Availability,
    objects: Availability,
) -> HealthWatch:
    folders = settings.data_dir, settings.storage.objects_dir
    return HealthWatch(
        background_database,
        {
            "redis": redis,
            "objects": objects,
            "disk": Availability(partial(has_space, *folders), _FRESH_SECONDS),
            "database": lambda: not (database.is_damaged or background_database.is_damaged),
        },
    )
