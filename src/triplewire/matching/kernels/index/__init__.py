"""From compiled subscriptions to an index: anchors, keys, texts and intervals.

anchor_choice  under which part a program is filed: the pair of parts that is least likely in an event
anchor_keys    an anchor as one word, and where a table of anchors looks for it
demand         what subscriptions ask for: how often each predicate and object, and between which numbers
index_build    sorts the entries, and says where each anchor's groups and each group's entries begin
automaton      Aho-Corasick: all texts that occur in a string, in one pass over its bytes
intervals      which intervals of a sorted list touch a value
"""
