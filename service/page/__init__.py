"""The page's files, which browsers read as they are; ``routes/page.py`` serves them."""
