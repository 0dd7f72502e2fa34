"""Warm explainers and open models: made once, kept while they are used, the least recently used dropped."""

import os
import platform
import threading
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pytest

from explanations.warm_explainer import WarmExplainer, warm_up
from service.app_context import build_context
from service.caches.warm_cache import LoadingCache, SessionCache
from storage.errors import NotFound
from storage.local_objects import LocalObjects
from tests.support.guarded import until
from tests.support.patience import PATIENCE_SECONDS
from tests.support.workshop import workshop_in

from ..conftest import Shop

_PATIENCE_SECONDS = 60


@pytest.fixture(scope="module")
def warm(shop: Shop) -> WarmExplainer:
    return _warm_up(shop, shop.explainer)


def _warm_up(shop: Shop, explainer: str) -> WarmExplainer:
    context = shop.workshop.context
    return warm_up(explainer, context.database, context.objects, context.sessions.get)


def test_what_was_warmed_up_is_found_again(warm: WarmExplainer) -> None:
    cache: LoadingCache[WarmExplainer] = LoadingCache(2)
    assert cache.find("a") is None

    assert cache.get("a", lambda: warm) is warm
    assert cache.find("a") is warm
    assert cache.get("a", pytest.fail) is warm


def test_the_one_that_was_not_used_for_longest_is_dropped(warm: WarmExplainer) -> None:
    cache: LoadingCache[WarmExplainer] = LoadingCache(2)
    cache.get("a", lambda: warm)
    cache.get("b", lambda: warm)
    cache.find("a")  # explanations find it without a request to warm it up

    cache.get("c", lambda: warm)

    assert cache.find("a") is warm
    assert cache.find("b") is None
    assert cache.find("c") is warm


def test_what_is_forgotten_is_warmed_up_again(warm: WarmExplainer) -> None:
    cache: LoadingCache[WarmExplainer] = LoadingCache(2)
    cache.get("a", lambda: warm)
    cache.forget("a")
    cache.forget("never there")

    assert cache.find("a") is None


def test_many_who_need_it_at_once_wait_for_one_to_warm_it_up(warm: WarmExplainer) -> None:
    cache: LoadingCache[WarmExplainer] = LoadingCache(2)
    begun, go_on = [], threading.Event()

    def slowly() -> WarmExplainer:
        begun.append(1)
        go_on.wait(PATIENCE_SECONDS)
        return warm

    with ThreadPoolExecutor(6) as threads:
        waiting = [threads.submit(cache.get, "a", slowly) for _ in range(6)]
        go_on.set()
        assert {id(each.result()) for each in waiting} == {id(warm)}
    assert len(begun) == 1


def test_others_are_had_while_one_is_warmed_up(warm: WarmExplainer) -> None:
    cache: LoadingCache[WarmExplainer] = LoadingCache(3)
    cache.get("warm", lambda: warm)
    begun, go_on = threading.Event(), threading.Event()

    def slowly() -> WarmExplainer:
        begun.set()
        go_on.wait(PATIENCE_SECONDS)
        return warm

    with ThreadPoolExecutor(3) as threads:
        slow = threads.submit(cache.get, "cold", slowly)
        begun.wait(PATIENCE_SECONDS)
        others = [threads.submit(cache.get, name, lambda: warm) for name in ("warm", "another")]
        try:
            assert [each.result(PATIENCE_SECONDS) for each in others] == [warm, warm]
            assert not slow.done()
        finally:
            go_on.set()


def test_what_is_forgotten_while_it_is_warmed_up_is_not_kept(warm: WarmExplainer) -> None:
    cache: LoadingCache[WarmExplainer] = LoadingCache(2)
    begun, go_on = threading.Event(), threading.Event()

    def slowly() -> WarmExplainer:
        begun.set()
        go_on.wait(PATIENCE_SECONDS)
        return warm

    with ThreadPoolExecutor(2) as threads:
        threads.submit(cache.get, "a", slowly)
        begun.wait(PATIENCE_SECONDS)
        forgetting = threads.submit(cache.forget, "a")
        go_on.set()
        forgetting.result()

    assert cache.find("a") is None


def test_a_failure_to_warm_up_is_reported_and_not_kept(shop: Shop, warm: WarmExplainer) -> None:
    cache: LoadingCache[WarmExplainer] = LoadingCache(2)

    with pytest.raises(NotFound):
        cache.get("xpl_gone", lambda: _warm_up(shop, "xpl_gone"))
    assert cache.get("xpl_gone", lambda: warm) is warm


def test_a_model_is_opened_once_and_again_after_it_was_closed(shop: Shop) -> None:
    context = shop.workshop.context
    cache = SessionCache(context.models, context.objects, 1)
    first = cache.get(shop.model)
    assert cache.get(shop.model) is first

    cache.forget(shop.model)
    again = cache.get(shop.model)

    assert again is not first
    features = shop.fitted.features[:5].astype(np.float64)
    one, other = (session.run(session.encode_matrix(features)) for session in (first, again))
    np.testing.assert_array_equal(one.leaves, other.leaves)
    np.testing.assert_array_equal(one.scores, other.scores)


def test_only_a_limited_number_stays_open(shop: Shop) -> None:
    context = shop.workshop.context
    twin = shop.workshop.register_model(shop.fitted.onnx, name="twin")
    cache = SessionCache(context.models, context.objects, 1)
    first = cache.get(shop.model)
    cache.get(twin)

    assert cache.get(shop.model) is not first


def test_an_unknown_model_is_not_found(shop: Shop) -> None:
    context = shop.workshop.context
    with pytest.raises(NotFound):
        SessionCache(context.models, context.objects, 1).get("mdl_gone")


def test_an_open_model_is_had_while_another_is_opened_which_happens_once(shop: Shop, tmp_path: Path) -> None:
    context = shop.workshop.context
    cold = shop.workshop.register_model(shop.fitted.onnx, name="cold")
    objects = LocalObjects(tmp_path / "objects")
    graph = context.objects.get(context.models.get(cold).leaf_graph)
    cache = SessionCache(context.models, objects, 2)
    file = objects.file(objects.put(graph))
    cache.get(shop.model)
    # A process that opens this file waits until somebody writes to it, as on a disk that takes its time.
    file.unlink()
    os.mkfifo(file)

    with ThreadPoolExecutor(4) as threads:
        opening = [threads.submit(cache.get, cold) for _ in range(3)]
        with file.open("wb") as pipe:
            assert threads.submit(cache.get, shop.model).result(PATIENCE_SECONDS) is not None
            assert not any(each.done() for each in opening)
            pipe.write(graph)
        assert len({id(each.result(PATIENCE_SECONDS)) for each in opening}) == 1
    assert cache.n_misses == 2


def test_loops_are_loaded_before_the_first_thing_that_needs_them_is_warmed_up(warm: WarmExplainer) -> None:
    done = []

    def warm_up() -> WarmExplainer:
        done.append("warmed up")
        return warm

    cache: LoadingCache[WarmExplainer] = LoadingCache(2, lambda: done.append("prepared"))
    cache.get("a", warm_up)
    cache.get("a", warm_up)

    assert done == ["prepared", "warmed up"]


def test_a_service_loads_loops_by_itself_where_there_is_a_model_and_else_not(
    shop: Shop, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("service.caches.warm_cache._SECONDS_TO_BECOME_READY", 0.01)
    used = build_context(shop.workshop.context.settings)
    with workshop_in(tmp_path) as new:
        until(lambda: used.loops.are_loaded, _PATIENCE_SECONDS)
        assert not new.context.loops.are_loaded

        new.register_model(shop.fitted.onnx, ensemble="random_forest")

        until(lambda: new.context.loops.are_loaded, _PATIENCE_SECONDS)
    used.close()


def test_a_service_that_ends_before_it_has_loaded_its_loops_does_without(shop: Shop) -> None:
    context = build_context(shop.workshop.context.settings)

    context.close()

    assert not context.loops.are_loaded


def _resident_bytes() -> int:
    return int(Path("/proc/self/statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE")


@pytest.mark.skipif(platform.libc_ver()[0] != "glibc", reason="other allocators return memory by themselves, or never")
def test_what_warming_up_took_beside_is_returned() -> None:
    cache = LoadingCache[bytes](capacity=1)
    before = _resident_bytes()

    def warm_up() -> bytes:
        blocks = [bytearray(4000) for _ in range(20_000)]  # 80 MB, each too small to be mapped by itself
        return bytes(blocks.pop()) + bytes(4000)

    cache.get("a", warm_up)

    assert _resident_bytes() - before < 20_000_000
