"""Table 2 of Van Assche & Blockeel (2007) done again, on the shared relational data."""
