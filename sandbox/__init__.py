"""The sandbox: a disposable child process that reads strangers' files with next to no rights.

Start at ``child_process``, the parent's side, which starts ``child``, where all other modules run.
"""
