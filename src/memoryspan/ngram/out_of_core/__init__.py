"""Counting that does not need the counts in memory: Ibis expressions on a database.

DuckDB is embedded and spills to disk; any other backend of Ibis, such as Spark, runs the same
expressions. The result is the same ``NgramCounts``, bit for bit, in memory-mapped files.
"""
