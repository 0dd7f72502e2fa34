"""imbalanced-learn: its models as those of scikit-learn that predict the same. Resampling happens in fitting alone."""

from typing import Any

from .estimators import class_names


def without_resampling(estimator: Any) -> Any:  # noqa: ANN401  # estimators
    """Return a fitted estimator without samplers; any that is not imbalanced-learn's own stays as it is.

    Pipelines lose their samplers, which pass rows on as they are when the pipeline predicts. Ensembles become those
    that they are derived from, with the same fitted members.
    """
    if not type(estimator).__module__.startswith("imblearn"):
        return _with_plain_steps(estimator)
    if "Pipeline" in class_names(estimator):
        return _plain_pipeline(estimator)
    return _plain_ensemble(estimator)


def _with_plain_steps(estimator: Any) -> Any:  # noqa: ANN401  # estimators
    steps = getattr(estimator, "steps", None)
    if not steps or not any(type(step).__module__.startswith("imblearn") for _, step in steps):
        return estimator
    return _plain_pipeline(estimator)


def _plain_pipeline(pipeline: Any) -> Any:  # noqa: ANN401  # pipelines
    from sklearn.pipeline import Pipeline  # noqa: PLC0415  # an extra

    steps = [(name, step) for name, step in pipeline.steps if not hasattr(step, "fit_resample")]
    return Pipeline([(name, without_resampling(step)) for name, step in steps])


def _plain_ensemble(ensemble: Any) -> Any:  # noqa: ANN401  # ensembles
    parent: Any = next(kind for kind in type(ensemble).__mro__ if kind.__module__.startswith("sklearn.ensemble"))
    plain = parent.__new__(parent)
    members = [member.steps[-1][1] if hasattr(member, "steps") else member for member in ensemble.estimators_]
    vars(plain).update({**vars(ensemble), "estimators_": members})
    return plain
