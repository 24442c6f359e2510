"""From an event to its matches: keys, candidates, joins and conditions.

search        the whole way, in one segment
term_numbers  numbers the terms of each event, so that a join compares integers
event_keys    which anchors an event may lead to: by its constants, texts and classes
groups        from an anchor to candidates whose guards the event meets
join          all solutions of one program on one event, by backtracking over its patterns
conditions    what a condition comes to: YES, NO, or UNSURE where only exact evaluation can tell
"""
