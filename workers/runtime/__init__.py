"""What runs jobs: workers, their parent, the processes of jobs, and maintenance."""
