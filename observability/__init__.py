"""Logs in one form for all processes: the API, workers and the processes of jobs."""
