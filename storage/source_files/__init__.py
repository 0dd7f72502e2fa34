"""Source files: the files of datasets by reference, which stay where they are. Start at ``sources``.

Nothing is imported here: the sandbox's child loads ``part_task`` alone.
"""
