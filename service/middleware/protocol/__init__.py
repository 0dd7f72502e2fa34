"""Protocol: what HTTP allows and requires: connections, paths, headers, bodies as JSON, compression."""
