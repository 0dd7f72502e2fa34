"""What the queue and the table of kinds name does exist."""

from importlib import import_module

from storage.doorbell import RUN_JOB
from workers.job_kinds import JOB_KINDS, load_job_kinds


def test_the_function_that_messages_ask_for_exists() -> None:
    module, _, function = RUN_JOB.rpartition(".")

    assert callable(getattr(import_module(module), function))


def test_every_kind_of_job_has_a_function() -> None:
    kinds = load_job_kinds()

    assert set(kinds) == set(JOB_KINDS)
    assert all(callable(kind) for kind in kinds.values())
