"""Open models: opened once, the least recently used closed when there are too many."""

import os
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pytest

from service.session_cache import SessionCache
from storage.errors import NotFound
from storage.local_objects import LocalObjects

from .conftest import Shop


def test_a_model_is_opened_once_and_again_after_it_was_closed(shop: Shop) -> None:
    parts = shop.workshop.parts
    cache = SessionCache(parts.models, parts.objects, 1)
    first = cache.get(shop.model)
    assert cache.get(shop.model) is first

    cache.forget(shop.model)
    again = cache.get(shop.model)

    assert again is not first
    features = shop.fitted.features[:5].astype(np.float64)
    one, other = (session.run(session.encode_matrix(features)) for session in (first, again))
    np.testing.assert_array_equal(one.leaves, other.leaves)
    np.testing.assert_array_equal(one.scores, other.scores)


def test_only_so_many_stay_open(shop: Shop) -> None:
    parts = shop.workshop.parts
    twin = shop.workshop.register_model(shop.fitted.onnx, name="twin")
    cache = SessionCache(parts.models, parts.objects, 1)
    first = cache.get(shop.model)
    cache.get(twin)

    assert cache.get(shop.model) is not first


def test_an_unknown_model_is_not_found(shop: Shop) -> None:
    parts = shop.workshop.parts
    with pytest.raises(NotFound):
        SessionCache(parts.models, parts.objects, 1).get("mdl_gone")


def test_an_open_model_is_had_while_another_is_opened_which_happens_once(shop: Shop, tmp_path: Path) -> None:
    parts = shop.workshop.parts
    cold = shop.workshop.register_model(shop.fitted.onnx, name="cold")
    objects = LocalObjects(tmp_path / "objects")
    graph = parts.objects.get(parts.models.get(cold).leaf_graph)
    cache = SessionCache(parts.models, objects, 2)
    file = objects.file(objects.put(graph))
    cache.get(shop.model)
    # Whoever opens this file waits until somebody writes to it, as on a disk that takes its time.
    file.unlink()
    os.mkfifo(file)

    with ThreadPoolExecutor(4) as threads:
        opening = [threads.submit(cache.get, cold) for _ in range(3)]
        with file.open("wb") as pipe:
            assert threads.submit(cache.get, shop.model).result(5) is not None
            assert not any(each.done() for each in opening)
            pipe.write(graph)
        assert len({id(each.result(20)) for each in opening}) == 1
    assert cache.n_misses == 2
