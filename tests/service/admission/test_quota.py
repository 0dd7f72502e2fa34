"""A quota of bytes, seconds or requests: one caller may hold a share, all of them together no more than there is."""

from service.admission.quota import Quota


def test_a_caller_holds_no_more_than_its_share_and_all_no_more_than_there_is() -> None:
    quota = Quota(10, 4)
    for caller in ("a", "b"):
        quota.take(caller, 3)

    assert not quota.is_within_share("a", 2)
    assert quota.is_within_share("a", 1)
    assert quota.is_within_share("c", 4)
    assert quota.fits(4)
    assert not quota.fits(5)


def test_a_caller_that_is_not_counted_may_hold_all_of_it() -> None:
    quota = Quota(10, 4)
    quota.take(None, 9)

    assert quota.is_within_share(None, 100)
    assert not quota.fits(2)
    assert quota.held_by(None) == 0


def test_an_amount_that_is_larger_than_allowed_fits_where_nothing_is_held() -> None:
    quota = Quota(10, 4)

    assert quota.fits(1000)
    assert quota.is_within_share("a", 1000)
    assert not Quota(0).fits(1)
    assert not Quota(10, 0).is_within_share("a", 1)


def test_fractions_leave_nothing_behind() -> None:
    quota = Quota(10)
    for _ in range(3):
        quota.take("a", 0.1)
    for _ in range(3):
        quota.take("a", -0.1)

    assert quota.total == 0
    assert not quota._held
