"""Why a job ended without a result, where that was not its own doing."""

from schemas.problems import Problem, problem_for


def cancelled() -> Problem:
    """Return the problem of a cancelled job."""
    return problem_for("job_cancelled", "the job was cancelled; send the request again to begin a new one")


def worker_lost(attempt: int) -> Problem:
    """Return the problem of a job whose worker was lost at this attempt, its last."""
    detail = (
        f"the process that did the job was lost {attempt} times, each time it was tried; "
        "it may need more memory than there is: use fewer rows, or give the workers more"
    )
    return problem_for("worker_lost", detail)


def deadline_exceeded(deadline_seconds: float) -> Problem:
    """Return the problem of a job that ran beyond its deadline."""
    detail = f"the job ran for {deadline_seconds:g} seconds and was not done; request less work, or raise the deadline"
    return problem_for("deadline_exceeded", detail)
