"""Uploaded models and datasets are opened in the sandbox's child process, never in the API.

Start at ``runner``, the parent's side; the tasks run in the child.
"""
