"""The space itself: the order of terms, boxes, and where a box is cut.

coordinates  the order of terms, and arithmetic on byte strings in that order
space        points, intervals, and boxes: zones and the bounds of patterns
splits       where a zone is cut in two when a newcomer joins
"""
