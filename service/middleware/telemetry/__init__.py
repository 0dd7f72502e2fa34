"""Telemetry: what is counted and timed of each request."""
