"""The contract by its tags: what several tags use is in the first.

Written by scripts/generate_client.py from openapi.json.
"""
