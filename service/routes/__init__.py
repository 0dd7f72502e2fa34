"""Routes: one file per noun; each reads the request, calls one operation, answers."""
