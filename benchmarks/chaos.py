"""200 jobs of every kind, requested over HTTP by four clients, under 50 kills; and how soon each loss is made good.

The service is ``leafspace serve`` with two workers and the settings that it comes with (a lease of 30 s), but that its
workers are as nice as the clients: on a machine with other work they would hardly start otherwise. What is made is held
against what jobs make of the same questions, undisturbed, in one process. Then, one at a time and with a job at work,
each part is killed: how long until that is noticed, and until the service is as before.
``python -m benchmarks.chaos [n_jobs n_kills]``
"""

import itertools
import sys
import tempfile
from pathlib import Path

from observability.logs import log_json_lines
from tests.support.api import Api
from tests.support.chaos.faults import KILLS
from tests.support.chaos.questions import Question, answers_without_faults, questions, register_all
from tests.support.chaos.recovery import Recovery
from tests.support.chaos.service_under_fire import ServiceUnderFire
from tests.support.chaos.siege import Aftermath, Plan, lay_siege

from .machine import describe_machine

N_JOBS, N_KILLS, SECONDS_A_KILL, SEED = 200, 50, 4.0, 0


def main() -> None:
    """Measure and print; end with 1 if a job was lost, wrong or done twice."""
    n_jobs, n_kills = (int(argument) for argument in sys.argv[1:3]) if len(sys.argv) > 2 else (N_JOBS, N_KILLS)
    log_json_lines("error")  # of what is done in this process, to be compared with
    print(describe_machine())
    with tempfile.TemporaryDirectory() as folder:
        service = ServiceUnderFire(Path(folder) / "besieged", {"LEAFSPACE_WORKER_NICENESS": "0"})
        service.start()
        try:
            known = register_all(Api(service.url))
            after = _besiege(service, Path(folder), list(itertools.islice(questions(known), n_jobs)), n_kills)
            _print_recovery(Recovery(service, known[0]))
        finally:
            service.stop()
        print(f"  left when the service was stopped: {len(service.processes())} processes")
    if after.n_lost or after.n_wrong or after.n_too_many or after.outcomes.unexpected:
        sys.exit(1)


def _besiege(service: ServiceUnderFire, folder: Path, requested: list[Question], n_kills: int) -> Aftermath:
    right = answers_without_faults(folder / "undisturbed", requested)
    after = lay_siege(service, requested, right, Plan(n_kills, n_kills * SECONDS_A_KILL, KILLS, seed=SEED))
    _print_aftermath(after)
    return after


def _print_aftermath(after: Aftermath) -> None:
    outcomes = after.outcomes
    print(
        f"\n{len(outcomes.accepted)} jobs accepted (in {outcomes.n_tries} tries) under {after.faults.total()} faults:"
    )
    for fault, count in sorted(after.faults.items(), key=lambda item: -item[1]):
        print(f"  {count:3d}  {fault}")
    print(f"\n  lost: {after.n_lost} of {len(outcomes.accepted)} (to reach: 0)")
    print(f"  the last one ended {after.seconds_to_settle:.0f} s after the last fault and the last question")
    print("  final states: " + ", ".join(f"{count} {status}" for status, count in after.statuses.most_common()))
    print("  attempts: " + ", ".join(f"{count} x {attempt}" for attempt, count in sorted(after.attempts.items())))
    print(f"  results unlike those without faults: {after.n_wrong}; jobs or artefacts too many: {after.n_too_many}")
    print(f"  answers that differed from the first one for their key, or failed: {len(outcomes.unexpected)}")
    print(f"  left behind: {len(after.workspaces)} workspaces, {len(after.unreferenced)} objects without a row\n")


def _print_recovery(recovery: Recovery) -> None:
    measured = {
        "a job's process killed, until that is noticed (to reach: 1)": recovery.of_a_job_whose_process_is_killed,
        "a worker killed, until its job is taken back (to reach: 32)": recovery.of_a_job_whose_worker_is_killed,
        "a job cancelled, until its process is gone (to reach: 2)": recovery.of_a_job_that_is_cancelled,
        "the API killed, until another answers (to reach: a warm start and 0.3)": recovery.of_the_api,
        "Redis killed, until nothing is degraded any more (to reach: 0.5)": recovery.of_redis,
        "the whole service killed, from the next start until it is ready (to reach: 5)": recovery.of_the_whole_service,
    }
    print("Seconds, in two turns")
    for what, measure in measured.items():
        print(f"  {measure():6.2f} {measure():6.2f}  {what}")


if __name__ == "__main__":
    main()
