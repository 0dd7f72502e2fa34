"""Open models: opened once, the least recently used closed when there are too many."""

import numpy as np
import pytest

from service.session_cache import SessionCache
from storage.errors import NotFound

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
