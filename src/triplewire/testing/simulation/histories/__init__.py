"""Histories of runs, and the checker.

calm     quiet periods, without an active fault
checker  whether a history is right, from the history alone
history  the records of a run
ledger   a history in tables
"""
