"""Middleware: what every request passes before it reaches the API, and every answer on its way out.

Pure ASGI and a uvicorn protocol; nothing here knows FastAPI. Start at ``stack.behind_middleware``, which puts four
groups together: ``identity`` (keys), ``admission`` (rates, slots and bodies), ``protocol`` (what HTTP requires) and
``telemetry`` (metrics).
"""
