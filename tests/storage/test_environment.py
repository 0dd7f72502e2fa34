"""Settings of the environment: each wrong one is named with its value, and a mistyped name does not go unnoticed."""

import pytest
from pydantic_settings import BaseSettings, SettingsConfigDict

from service.settings import ServiceSettings
from storage.environment import PREFIX, WrongSettings, mistyped_names, read_settings
from workers.runtime.settings import WorkerSettings

_CLASSES: list[type[BaseSettings]] = [ServiceSettings, WorkerSettings]
_OF_OTHERS = ("API_KEY", "WORKERS", "SHARED", "SERVICE_HOST", "SERVICE_PORT", "PORT_80_TCP_ADDR", "URL")


class _Settings(BaseSettings):
    model_config = SettingsConfigDict(env_prefix=PREFIX)

    days: int
    database_url: int = 0


@pytest.mark.parametrize(
    ("variable", "value", "message"),
    [
        ("LEAFSPACE_DAYS", "3", None),
        ("LEAFSPACE_DAYS", "1GB", "LEAFSPACE_DAYS is '1GB': write a whole number without a unit, such as"),
        ("LEAFSPACE_OTHER", "3", "LEAFSPACE_DAYS is required"),
    ],
)
def test_a_wrong_value_is_named(
    monkeypatch: pytest.MonkeyPatch, variable: str, value: str, message: str | None
) -> None:
    monkeypatch.setenv(variable, value)
    if message is None:
        assert read_settings(_Settings).days == 3
        return
    with pytest.raises(WrongSettings) as refused:
        read_settings(_Settings)
    assert str(refused.value).startswith(message)


def test_each_wrong_value_has_a_line_and_no_url_is_repeated(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LEAFSPACE_DAYS", "many")
    monkeypatch.setenv("LEAFSPACE_DATABASE_URL", "postgresql://me:hush@host")

    with pytest.raises(WrongSettings) as refused:
        read_settings(_Settings)

    days, url = str(refused.value).splitlines()
    assert days.startswith("LEAFSPACE_DAYS is 'many'")
    assert url.startswith("LEAFSPACE_DATABASE_URL")
    assert "hush" not in url


@pytest.mark.parametrize(
    ("mistyped", "meant"),
    [("KEEP_JOBS_DAYS", "KEEP_JOB_DAYS"), ("KEEP_EXPLANATIONS_DAYS", "KEEP_EXPLANATION_DAYS")],
)
def test_a_mistyped_name_is_reported_with_the_one_that_was_meant(mistyped: str, meant: str) -> None:
    assert mistyped_names(WorkerSettings, [f"LEAFSPACE_{mistyped}"]) == {f"LEAFSPACE_{mistyped}": f"LEAFSPACE_{meant}"}


@pytest.mark.parametrize("kind", _CLASSES)
def test_no_name_that_another_process_reads_is_taken_for_a_mistyped_one(kind: type[BaseSettings]) -> None:
    read = [name.upper() for other in _CLASSES for name in other.model_fields]

    assert not mistyped_names(kind, [f"LEAFSPACE_{name}" for name in (*read, *_OF_OTHERS)])
