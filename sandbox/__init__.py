"""The sandbox: a disposable child process that reads strangers' files with next to no rights.

Start at ``child_process``, the owner's side. It starts a ``fork_server``, which forks a ``child`` for each upload.
"""
