"""A shop for each file, as views list what is in it, the newest first, and tests add to it."""

from collections.abc import Iterator

import pytest

from ..conftest import Shop, shop_in


@pytest.fixture(scope="module")
def shop(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Shop]:
    with shop_in(tmp_path_factory.mktemp("shop")) as shop:
        yield shop
