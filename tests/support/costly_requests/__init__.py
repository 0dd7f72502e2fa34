"""The dearest requests of 1 MB: how they are made, measured, and found for each route of the contract."""
