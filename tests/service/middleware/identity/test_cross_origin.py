"""Pages of the origins that are set may call from a browser; no others, and nobody by default."""

from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest
from pydantic import ValidationError

from service.callers import Caller
from service.middleware.identity.access import AccessPolicy
from service.settings import ServiceSettings, read_origins

from ..serving import serving

_PAGE, _OTHER = "https://pages.example", "https://elsewhere.example"


class _NoKeys:
    def find(self, credentials: bytes) -> Caller | None:  # as keys are looked up
        return None

    def is_stale(self) -> bool:
        return False


@pytest.fixture(scope="module", params=["without keys", "with keys"])
def url(request: pytest.FixtureRequest) -> Iterator[str]:
    policy = AccessPolicy(_NoKeys, lambda _method, _path: frozenset()) if request.param == "with keys" else None
    with serving(origins=(_PAGE,), policy=policy) as port:
        yield f"http://127.0.0.1:{port}"


def _preflight(url: str, origin: str) -> httpx.Response:
    headers = {
        "Origin": origin,
        "Access-Control-Request-Method": "DELETE",
        "Access-Control-Request-Headers": "authorization,idempotency-key,if-none-match",
    }
    return httpx.options(f"{url}/v1/models", headers=headers)


def test_a_page_may_send_a_preflight_before_it_calls_without_a_key(url: str) -> None:
    allowed = _preflight(url, _PAGE)

    assert allowed.status_code == 200
    assert allowed.headers["Access-Control-Allow-Origin"] == _PAGE
    assert "DELETE" in allowed.headers["Access-Control-Allow-Methods"]
    assert "access-control-allow-credentials" not in allowed.headers
    assert _preflight(url, _OTHER).headers.get("Access-Control-Allow-Origin") is None
    assert _preflight(url, _OTHER).status_code == 400


def test_answers_and_refusals_can_be_read_by_that_page_alone(url: str) -> None:
    own, other = (httpx.get(f"{url}/v1/models", headers={"Origin": origin}) for origin in (_PAGE, _OTHER))

    assert own.status_code in {200, 401}
    assert own.headers["Access-Control-Allow-Origin"] == _PAGE
    assert "ETag" in own.headers["Access-Control-Expose-Headers"]
    assert "Origin" in own.headers["Vary"]
    assert "access-control-allow-credentials" not in own.headers
    assert other.status_code in {401, 403}
    assert "access-control-allow-origin" not in other.headers


def test_by_default_no_page_is_answered() -> None:
    with serving() as port:
        url = f"http://127.0.0.1:{port}"

        assert _preflight(url, _PAGE).status_code == 403
        refused = httpx.get(f"{url}/v1/models", headers={"Origin": _PAGE})

    assert (refused.status_code, refused.json()["code"]) == (403, "foreign_request")
    assert not [name for name in refused.headers if name.startswith("access-control")]


def test_origins_are_listed_with_commas(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("LEAFSPACE_CORS_ORIGINS", f"{_PAGE}, http://LOCALHOST:3000/ ,")
    settings = ServiceSettings(data_dir=tmp_path, redis_url="")

    assert settings.cors_origins == (_PAGE, "http://localhost:3000")
    monkeypatch.delenv("LEAFSPACE_CORS_ORIGINS")
    assert ServiceSettings(data_dir=tmp_path, redis_url="").cors_origins == ()


@pytest.mark.parametrize(
    "text", ["*", "pages.example", "https://", "ftp://pages.example", "https://pages.example/path", "null"]
)
def test_what_is_not_an_origin_is_refused_when_the_service_starts(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, text: str
) -> None:
    with pytest.raises(ValueError, match="is not an origin"):
        read_origins(text)
    monkeypatch.setenv("LEAFSPACE_CORS_ORIGINS", text)
    with pytest.raises(ValidationError, match="is not an origin"):
        ServiceSettings(data_dir=tmp_path, redis_url="")
