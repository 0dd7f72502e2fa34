"""What goes on beside requests, in threads of its own: watches that callers read, and the logs."""
