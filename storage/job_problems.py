"""Why a job ended without a result, where that was not its own doing."""

from schemas.problems import Problem, problem_for


def cancelled() -> Problem:
    """Return what a cancelled job has to say."""
    return problem_for("job_cancelled", "the job was cancelled; ask again to begin a new one")


def worker_lost(attempt: int) -> Problem:
    """Return what a job has to say whose worker was lost at this attempt, which was the last one."""
    detail = (
        f"the process that did the job was lost {attempt} times, each time it was tried; "
        "it may need more memory than there is: ask for fewer rows, or give the workers more"
    )
    return problem_for("worker_lost", detail)


def deadline_exceeded(deadline_seconds: float) -> Problem:
    """Return what a job has to say that ran longer than it may."""
    detail = f"the job ran for {deadline_seconds:g} seconds and was not done; ask for less work, or raise the deadline"
    return problem_for("deadline_exceeded", detail)
