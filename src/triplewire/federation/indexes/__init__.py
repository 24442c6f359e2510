"""What a peer group has, what others have, and whom each part of a rule concerns (section 3.1).

group_index    a super-peer's combined schema, each class and property annotated with its peers; its resource index
local_index    a peer's annotated schema: of which classes and properties it has data, and about which resources
merging        schemas of many, merged as far as they fit
network_index  what other super-peers have, as far as they let others see it
relevance      which peers the event, the condition and the actions of a rule concern, each with the reason
whole_schema   the schema of all, as far as one super-peer knows it
"""
