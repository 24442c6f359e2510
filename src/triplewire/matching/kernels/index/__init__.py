"""From compiled subscriptions to an index: anchors, keys, texts and intervals.

anchor_choice  under which part is a program filed? The pair of parts that is least likely to be in an event by
               chance
anchor_keys    an anchor as one word, and where a table of anchors looks for it
automaton      all texts that occur in a string, in one pass over its bytes
demand         how often each predicate and object, and between which numbers
index_build    sort them, and say where each anchor's groups and each group's entries begin
intervals      which intervals of a sorted list touch a value: an implicit tree over the list itself
"""
