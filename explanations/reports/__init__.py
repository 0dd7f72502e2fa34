"""Reports: what one is drawn from, what it says in sentences, and the file."""
