"""What a node does for the zones that it owns: index, store, match, and hand over.

chain_steps         follows chains through quadruples: each rewriting on its way once
contents            what lies in some zones, as it goes from one node to another
deposits            contents that two nodes believed to own, as messages
event_rows          the rows of one event, their terms made where somebody asks
sent_rewritings     which rewritings have left this node, as far as that is worth remembering
subscription_index  the subscriptions of some zones, by the first pattern of their chains
waiting             rewritten subscriptions and collectors that wait for quadruples to come
zone_holder         the messages that come to zones
"""
