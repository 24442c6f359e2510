"""The event lake: Parquet tables in a folder, readable with Spark, DuckDB or anything else that reads Parquet.

    LAKE/events/*.parquet           event, source, time, payload, run
    LAKE/quads/*.parquet            subject, predicate, object, event, run: range-partitioned and sorted
    LAKE/notifications/*.parquet    subscription, event, time, solutions, lane, run
    LAKE/rejects/*.parquet          file, line, event, subscription, reason, run
    LAKE/runs/*.parquet             what ran, by which index and taxonomy, with which counts and times

tables          the tables and their columns
table_writers   tasks write their part of each table
dataframes      between tables and Spark's DataFrames
folder          one writer at a time; a commit becomes visible as a whole, or never
"""
