"""Which views a change can touch, in work that does not grow with their number.

shapes       a query without its constants: what many views have in common
members      the views of one shape, found by their constants
touch_index  from a changed quad to shapes, and on to their members
"""
