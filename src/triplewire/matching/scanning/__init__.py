"""From N-Quads bytes to flat tables, within limits, and back to terms.

event_limits   events beyond the limits are rejected one by one: the rest of a document does not suffer for them
scanner        from N-Quads bytes to flat tables, without a Python object per term
strict_parser  what the scanner does not take itself, one line at a time
term_decoding  from a term's canonical bytes back to the term
"""
