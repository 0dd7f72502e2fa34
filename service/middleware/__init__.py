"""Middleware: what every request passes before it reaches the API, and every answer on its way out.

Pure ASGI and a uvicorn protocol; nothing here knows FastAPI. Start at ``stack.behind_middleware``, which puts the parts
together: headers of every answer (``response_head``), metrics (``metering``), pages of other sites (``cross_origin``),
keys (``access``), rates and slots (``limits``), bodies in both directions (``bodies``), gzip (``compression``).
"""
