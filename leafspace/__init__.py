"""Leafspace as one command: what the service, its workers and Redis are put together by."""
