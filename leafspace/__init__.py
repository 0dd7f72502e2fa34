"""Leafspace as one command, which starts the service, its workers and Redis."""
