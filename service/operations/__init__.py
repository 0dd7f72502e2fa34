"""What the service can do, free of HTTP: one file per noun."""
