"""The handshake: a client reads which service answers before it trusts the rest."""

from importlib.metadata import version

from packaging.version import Version

from schemas.health import ServiceVersion
from schemas.scopes import SCOPES
from tests.support.api import Api


def test_the_version_is_that_of_the_installed_service(api: Api) -> None:
    answer = api.get("/v1/version")

    assert answer.status_code == 200
    assert answer.json() == {"version": version("leafspace"), "api_version": "v1", "oldest_sdk": "0.1.0"}
    assert ServiceVersion.model_validate(answer.json()).version == version("leafspace")


def test_the_sdk_beside_the_service_is_not_too_old_for_it(api: Api) -> None:
    oldest = api.get("/v1/version").json()["oldest_sdk"]

    assert Version(oldest) <= Version(version("leafspace-client"))


def test_the_api_version_is_the_first_segment_of_every_versioned_path(api: Api) -> None:
    paths = api.get("/openapi.json").json()["paths"]
    api_version = api.get("/v1/version").json()["api_version"]

    assert {path.split("/")[1] for path in paths} == {api_version, "livez", "readyz"}


def test_without_keys_everybody_may_do_everything(api: Api) -> None:
    me = api.get("/v1/me").json()

    assert (me["keys_required"], me["key_id"], me["scopes"]) == (False, None, list(SCOPES))
