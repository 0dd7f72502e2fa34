"""Rounds: whose turn is next."""

from service.admission.rounds import Rounds


def test_callers_take_turns_in_the_order_in_which_they_came() -> None:
    rounds = Rounds[str, int]()
    for caller, item in (("many", 1), ("many", 2), ("many", 3), ("few", 4), ("few", 5), ("one", 6)):
        rounds.add(caller, item)
    taken = [rounds.take() for _ in range(7)]
    assert taken == [("many", 1), ("few", 4), ("one", 6), ("many", 2), ("few", 5), ("many", 3), None]


def test_a_caller_who_may_have_no_turn_keeps_its_place() -> None:
    rounds = Rounds[str, int]()
    rounds.add("held", 1)
    rounds.add("other", 2)
    assert rounds.take(lambda caller: caller != "held") == ("other", 2)
    assert rounds.take(lambda caller: caller != "held") is None
    assert rounds.take() == ("held", 1)
