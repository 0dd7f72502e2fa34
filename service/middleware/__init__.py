"""The edge: what every request passes before it reaches the API, and every answer on its way out.

Pure ASGI and a uvicorn protocol; nothing here knows FastAPI. ``stack.behind_edge`` puts the parts together.
"""
