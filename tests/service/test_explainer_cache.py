"""Warm explainers: warmed up once, kept while they are used, dropped when there are too many."""

import threading
from concurrent.futures import ThreadPoolExecutor

import pytest

from explanations.warm_explainer import WarmExplainer, warm_up
from service.explainer_cache import ExplainerCache
from storage.errors import NotFound

from .conftest import Shop


@pytest.fixture(scope="module")
def warm(shop: Shop) -> WarmExplainer:
    return _warm_up(shop, shop.explainer)


def _warm_up(shop: Shop, explainer: str) -> WarmExplainer:
    parts = shop.workshop.parts
    return warm_up(explainer, parts.database, parts.objects, parts.sessions.get)


def test_what_was_warmed_up_is_found_again(warm: WarmExplainer) -> None:
    cache = ExplainerCache(2)
    assert cache.find("a") is None

    assert cache.get("a", lambda: warm) is warm
    assert cache.find("a") is warm
    assert cache.get("a", pytest.fail) is warm


def test_the_one_that_was_not_used_for_longest_is_dropped(warm: WarmExplainer) -> None:
    cache = ExplainerCache(2)
    cache.get("a", lambda: warm)
    cache.get("b", lambda: warm)
    cache.find("a")  # explanations find it without asking for it to be warmed up

    cache.get("c", lambda: warm)

    assert cache.find("a") is warm
    assert cache.find("b") is None
    assert cache.find("c") is warm


def test_what_is_forgotten_is_warmed_up_again(warm: WarmExplainer) -> None:
    cache = ExplainerCache(2)
    cache.get("a", lambda: warm)
    cache.forget("a")
    cache.forget("never there")

    assert cache.find("a") is None


def test_many_who_need_it_at_once_wait_for_one_to_warm_it_up(warm: WarmExplainer) -> None:
    cache = ExplainerCache(2)
    begun, go_on = [], threading.Event()

    def slowly() -> WarmExplainer:
        begun.append(1)
        go_on.wait(5)
        return warm

    with ThreadPoolExecutor(6) as threads:
        waiting = [threads.submit(cache.get, "a", slowly) for _ in range(6)]
        go_on.set()
        assert {id(each.result()) for each in waiting} == {id(warm)}
    assert len(begun) == 1


def test_others_are_had_while_one_is_warmed_up(warm: WarmExplainer) -> None:
    cache = ExplainerCache(3)
    cache.get("warm", lambda: warm)
    begun, go_on = threading.Event(), threading.Event()

    def slowly() -> WarmExplainer:
        begun.set()
        go_on.wait(20)
        return warm

    with ThreadPoolExecutor(3) as threads:
        slow = threads.submit(cache.get, "cold", slowly)
        begun.wait(20)
        others = [threads.submit(cache.get, name, lambda: warm) for name in ("warm", "another")]
        try:
            assert [each.result(5) for each in others] == [warm, warm]
            assert not slow.done()
        finally:
            go_on.set()


def test_what_is_forgotten_while_it_is_warmed_up_is_not_kept(warm: WarmExplainer) -> None:
    cache = ExplainerCache(2)
    begun, go_on = threading.Event(), threading.Event()

    def slowly() -> WarmExplainer:
        begun.set()
        go_on.wait(20)
        return warm

    with ThreadPoolExecutor(2) as threads:
        threads.submit(cache.get, "a", slowly)
        begun.wait(20)
        forgetting = threads.submit(cache.forget, "a")
        go_on.set()
        forgetting.result()

    assert cache.find("a") is None


def test_a_failure_to_warm_up_is_told_and_not_kept(shop: Shop, warm: WarmExplainer) -> None:
    cache = ExplainerCache(2)

    with pytest.raises(NotFound):
        cache.get("xpl_gone", lambda: _warm_up(shop, "xpl_gone"))
    assert cache.get("xpl_gone", lambda: warm) is warm
