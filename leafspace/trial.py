"""``leafspace try``: a model and its rows, explained at once: prototypes, rules and a tree, in the page."""

import signal
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, NoReturn

import click

from .errors import CannotServe

if TYPE_CHECKING:
    from leafspace_client import LocalLeafspace
    from leafspace_client.types import Model

_N_PROTOTYPES, _N_ROWS = 10, 3


@dataclass(frozen=True, slots=True)
class Trial:
    """What is tried."""

    model: Path  # ONNX
    rows: Path  # CSV, Parquet or JSON
    target: str | None
    row_id: str | None
    features: Sequence[str]  # in the order of the model; empty: all columns but target and row id
    data_dir: Path | None  # None: a folder that is removed
    report: Path | None  # the file of a report, after which nothing is left running
    opens_browser: bool


def run(trial: Trial) -> None:
    """Explain a model, and show it until Ctrl-C.

    Raises
    ------
    CannotServe
        If the service does not start, or refuses the files: the message says why and what to do.
    """
    try:
        # Imported late: the client is an extra, and brings its libraries.
        from leafspace_client import LeafspaceError, local
    except ModuleNotFoundError as error:
        message = "`leafspace try` needs the client: pip install leafspace-client"
        raise CannotServe(message) from error
    signal.signal(signal.SIGTERM, _interrupted)
    click.echo("Starting a service of this trial's own.", err=True)
    try:
        with local(trial.data_dir) as client:
            _show(client, trial)
    except LeafspaceError as error:
        raise CannotServe(str(error)) from error
    except KeyboardInterrupt:
        click.echo("Stopped." if trial.data_dir else "Stopped; what was kept for the trial is gone.", err=True)


def _show(client: "LocalLeafspace", trial: Trial) -> None:
    dataset = client.register_dataset(
        trial.rows,
        name=trial.rows.stem,
        target=trial.target,
        row_id=trial.row_id,
        features=list(trial.features) or None,
    )
    model = _registered(client, trial, [column.name for column in dataset.columns if column.role == "feature"])
    click.echo(f"Registered {model.name}: {model.n_trees:,} trees; {dataset.name}: {dataset.n_rows:,} rows.", err=True)
    requested: list[Any] = [  # of three kinds
        client.prototype_sets.create(model, dataset, n_prototypes=_N_PROTOTYPES, refine="swap"),
        client.rule_sets.create(model, dataset),
        client.approximation_trees.create(model, dataset),
    ]
    prototypes, rules, tree = (each.wait() for each in requested)
    explainer = client.explainers.create(model, prototypes, rule_set=rules, approximation_tree=tree, name=model.name)
    if trial.report is not None:
        first = [row.row_id for row in client.datasets.rows(dataset, limit=_N_ROWS)]
        made = client.reports.create(f"{model.name} on {dataset.name}", explainer, rows=first).wait()
        click.echo(made.save(trial.report))
        return
    address = client.show(model) if trial.opens_browser else f"{client.url}/ui/#/models/{model.id}"
    click.echo(address)
    click.echo(f"The page requests this key where the browser was not opened by this command: {client.key}", err=True)
    click.echo("Ctrl-C stops it.", err=True)
    signal.pause()


def _registered(client: "LocalLeafspace", trial: Trial, columns: list[str]) -> "Model":
    """Return the model; where it is a matrix without names, its features are the columns in their order."""
    names = list(trial.features) or None
    model = client.register_model(trial.model, name=trial.model.stem, feature_names=names)
    if names is not None or set(model.feature_names) <= set(columns):
        return model
    client.models.delete(model)
    return client.register_model(trial.model, name=trial.model.stem, feature_names=columns)


def _interrupted(_signal: int, _frame: object) -> NoReturn:
    raise KeyboardInterrupt
