"""What all processes say about themselves in the same form: the API, workers and the processes of jobs."""
