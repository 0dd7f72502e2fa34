"""Intake: strangers' models and datasets are opened in a throw-away child process, never in the one that answers.

``runner`` is the parent's side; everything else runs in the child (``python -m service.upload_sandbox``).
"""
