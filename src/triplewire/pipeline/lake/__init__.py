"""The event lake: Delta Lake tables in a folder of any storage, which everything reads that reads Delta.

    LAKE/events           event, source, time, payload, run, batch
    LAKE/quads            subject, predicate, object, event, run, batch: range-partitioned and sorted
    LAKE/notifications    subscription, event, time, solutions, lane, run, batch
    LAKE/rejects          file, line, event, subscription, reason, run, batch
    LAKE/runs             what ran, by which index and taxonomy, with which counts and times
    LAKE/_triplewire      what belongs to no table: decided commits, indexes, streams

tables          the tables and their columns
commit_names    how a commit is named, in transactions and in folders of files
statistics      what Delta is told of a file, so that readers can skip it
table_writers   tasks write their part of each table, where the table is
delta_tables    one table: its files, and changes that are made once
commits         a commit over several tables: decided at once, carried out by whoever comes
event_lake      open a lake, for reading or writing; several may write
states          all tables as of the same moment
dataframes      between tables and Spark's DataFrames
old_form        lakes of the form before, which are only read
migration       they are carried over
"""
