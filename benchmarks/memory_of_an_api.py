"""What the memory of an API process is that has a deep forest warm: libraries, compiled loops, onnxruntime, explainer.

The forest is that of ``benchmarks.api_processes``. The parts are loaded one after the other, as the service loads them;
after each, freed memory is returned to the system. ``python -m benchmarks.memory_of_an_api``
"""

import tempfile
from pathlib import Path

import numpy as np

from .api_processes import make_explainer
from .machine import describe_machine
from .serving import served


class _Steps:
    """Prints how much the proportional set size has grown since the step before."""

    def __init__(self) -> None:
        self._before = 0.0

    def after(self, what: str) -> None:
        from service.freed_memory import return_freed_memory

        as_freed = _megabytes()
        return_freed_memory()
        now = _megabytes()
        print(f"{what:24} {now - self._before:5.0f} MB, {now:5.0f} together; {as_freed - now:4.0f} returned")
        self._before = now


def main() -> None:
    """Measure and print."""
    print(describe_machine())
    with tempfile.TemporaryDirectory() as data_dir:
        with served("--data-dir", data_dir) as url:
            path, _ = make_explainer(url)
        _load(Path(data_dir), path.split("/")[3])


def _load(data_dir: Path, explainer_id: str) -> None:
    steps = _Steps()
    steps.after("this program")  # with libraries that the service needs, too
    import service.main  # noqa: F401  # to see what it takes
    from explanations.explainer_records import read_explainer
    from explanations.warm_explainer import warm_up_records
    from service.caches.warm_cache import RequestLoops, SessionCache
    from storage.database import Database
    from storage.local_objects import LocalObjects
    from storage.models import ModelStore
    from storage.settings import embedded

    steps.after("the service's libraries")
    RequestLoops().load()
    steps.after("compiled loops")
    storage = embedded(data_dir)
    database, objects = Database(storage.database_url), LocalObjects(storage.objects_dir)
    records = read_explainer(explainer_id, database, objects)
    session = SessionCache(ModelStore(database), objects, 1).get(records.model.id)
    steps.after("onnxruntime's session")
    warm = warm_up_records(records, objects, session)
    steps.after("the explainer")
    arrays = {id(array): array for array in _arrays(warm, set())}
    print(f"arrays of the explainer: {sum(array.nbytes for array in arrays.values()) / 1e6:.0f} MB")
    database.close()


def _arrays(thing: object, seen: set[int]) -> list[np.ndarray]:
    """Return the arrays that a thing of dataclasses, tuples and dictionaries holds."""
    if id(thing) in seen or isinstance(thing, str | bytes | int | float):
        return []
    seen.add(id(thing))
    if isinstance(thing, np.ndarray):
        return [thing if not isinstance(thing.base, np.ndarray) else thing.base]
    if isinstance(thing, dict):
        parts = list(thing.values())
    elif isinstance(thing, list | tuple):
        parts = list(thing)
    else:
        names = [name for kind in type(thing).__mro__ for name in getattr(kind, "__slots__", ())]
        parts = [getattr(thing, name, None) for name in [*names, *getattr(thing, "__dict__", {})]]
    return [array for part in parts for array in _arrays(part, seen)]


def _megabytes() -> float:
    lines = Path("/proc/self/smaps_rollup").read_text().splitlines()
    return next(int(line.split()[1]) for line in lines if line.startswith("Pss:")) / 1024


if __name__ == "__main__":
    main()
