"""What constants, values and filters say about where terms lie in the order of the space.

filters      the bounds of variables that a filter's condition implies, and what in it does not bound anything
intervals    unions of intervals
regions      unions of intervals in all four dimensions, and the boxes that they make
spellings    where all the terms lie that Oxigraph holds to be the same as one, or comparable with it
text_ranges  where the IRIs and strings lie that compare in a certain way with a text
"""
