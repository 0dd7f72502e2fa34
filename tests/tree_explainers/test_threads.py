import threading
from collections.abc import Iterator

import pytest

from tests.support.patience import PATIENCE_SECONDS
from tree_explainers.compute.threads import in_order, in_threads, one_ahead


@pytest.mark.parametrize("n_threads", [1, 2, 3, 40])
@pytest.mark.parametrize("n_items", [0, 1, 7])
def test_each_item_is_worked_on_once(n_items: int, n_threads: int) -> None:
    done: list[int] = []

    in_threads(lambda part: done.extend(range(part.start, part.stop)), n_items, n_threads)

    assert sorted(done) == list(range(n_items))


@pytest.mark.parametrize(("n_steps", "is_shared"), [(1000, False), (1_000_000, True)])
def test_few_steps_are_left_to_the_caller(n_steps: int, *, is_shared: bool) -> None:
    by: set[threading.Thread] = set()

    in_threads(lambda _: by.add(threading.current_thread()), 2, 2, n_steps=n_steps)

    assert threading.current_thread() in by
    assert (len(by) == 2) == is_shared


@pytest.mark.parametrize("n_threads", [1, 3])
def test_results_come_in_the_order_of_the_items_whichever_is_done_first(n_threads: int) -> None:
    last_is_done = threading.Event()

    def work(item: int) -> int:
        if n_threads > 1 and item == 0:
            assert last_is_done.wait(PATIENCE_SECONDS)
        if item == n_threads - 1:
            last_is_done.set()
        return item * item

    assert list(in_order(work, range(8), n_threads)) == [(item, item * item) for item in range(8)]


def test_items_are_taken_only_as_results_are() -> None:
    taken: list[int] = []

    def items() -> Iterator[int]:
        for item in range(100):
            taken.append(item)
            yield item

    results = in_order(lambda item: item, items(), 2)
    for _ in range(5):
        next(results)

    assert len(taken) == 7


def test_an_item_alone_is_worked_on_by_the_caller() -> None:
    assert list(in_order(lambda _: threading.current_thread(), [1], 2)) == [(1, threading.current_thread())]


def test_a_failure_stops_the_others_and_leaves_no_thread() -> None:
    before = threading.active_count()
    started: list[int] = []

    def work(item: int) -> int:
        started.append(item)
        if item == 3:
            msg = "three"
            raise ValueError(msg)
        return item

    with pytest.raises(ValueError, match="three"):
        list(in_order(work, range(100), 2))

    assert len(started) < 7
    assert threading.active_count() == before


def test_a_caller_that_stops_leaves_no_thread() -> None:
    before = threading.active_count()
    results = in_order(lambda item: item, range(100), 2)
    next(results)

    results.close()

    assert threading.active_count() == before


@pytest.mark.parametrize("n_items", [0, 1, 5])
def test_what_is_made_ahead_comes_in_the_order_of_the_items(n_items: int) -> None:
    assert list(one_ahead(lambda item: item * item, range(n_items))) == [item * item for item in range(n_items)]


def test_the_next_item_alone_is_worked_on_while_the_caller_has_one() -> None:
    begun = [threading.Event() for _ in range(4)]

    def work(item: int) -> int:
        begun[item].set()
        return item

    made = one_ahead(work, range(4))

    assert next(made) == 0
    assert begun[1].wait(PATIENCE_SECONDS)
    assert not begun[2].is_set()
    made.close()
    assert not begun[2].is_set()


def test_an_item_that_fails_is_raised_in_its_turn() -> None:
    made = one_ahead(lambda item: 1 // item, [1, 0, 1])

    assert next(made) == 1
    with pytest.raises(ZeroDivisionError):
        next(made)
