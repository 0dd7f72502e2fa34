"""Opening the object store that the settings name."""

from .bucket import Bucket
from .local_objects import LocalObjects
from .object_cache import ObjectCache
from .object_store import ObjectStore
from .remote_objects import RemoteObjects
from .settings import StorageSettings


def open_objects(settings: StorageSettings) -> ObjectStore:
    """Return the store; a bucket is not asked for anything before it is needed."""
    if settings.bucket_url is None:
        return LocalObjects(settings.objects_dir)
    return RemoteObjects(Bucket(settings.bucket_url), ObjectCache(settings.objects_dir, settings.cache_bytes))
