"""From N-Quads bytes to flat tables, within limits, and back to terms.

scanner        bytes to tables, without a Python object per term
strict_parser  the lines that the scanner does not take itself, one at a time
event_limits   rejects events beyond the limits one by one
term_decoding  from a term's canonical bytes back to the term
"""
