"""From an event to its matches: keys, candidates, joins and conditions.

conditions    what a row of a program comes to for a binding: YES, NO, or UNSURE where only exact evaluation can
              tell
event_keys    which anchors an event may lead to: by its constants, by the texts in its strings, by the classes of
              its nodes
groups        its groups, and the entries in them whose guards the event meets
join          all solutions of one program on one event: backtracking over its patterns in their order
search        from an event to its matches in one segment: its terms lead to anchors, anchors to groups, guards to
              candidates
term_numbers  number the terms of each event: equal terms, equal numbers, so that a join compares integers
"""
