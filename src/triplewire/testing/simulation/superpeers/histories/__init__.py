"""Histories of runs, and the checker.

checker         whether a history is right, from the history alone
history         the records of a run
history_tables  a history in tables
quiet_periods   the times without an active fault
"""
