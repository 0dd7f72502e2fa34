"""Partitions of rows on a cluster of Dask; imported only where a job runs there."""
