"""The upload sandbox: uploaded models and datasets are opened in a disposable child process, never in the API.

Start at ``runner``, the parent's side, which starts ``child`` by ``child_process``; all other modules run in the child.
"""
