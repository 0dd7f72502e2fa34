"""``python -m service``: the API, with settings from the environment."""

import os

import click
import uvicorn

from .main import create_app
from .settings import ServiceSettings

_GRACE_SECONDS = 5  # for requests under way when it is told to stop


@click.command()
@click.option("--host", default="127.0.0.1", envvar="LEAFSPACE_HOST", show_default=True)
@click.option("--port", type=int, default=8000, envvar="LEAFSPACE_PORT", show_default=True)
def main(host: str, port: int) -> None:
    """Serve the API until SIGTERM or Ctrl-C."""
    uvicorn.run(
        create_app(ServiceSettings()),
        host=host,
        port=port,
        log_level="warning",
        access_log=False,
        server_header=False,
        timeout_graceful_shutdown=_GRACE_SECONDS,
    )


if __name__ == "__main__":
    main()
