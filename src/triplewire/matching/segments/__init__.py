"""Segments: subscriptions as flat arrays, from the first draft to merging and to files on disk.

live_index        segments, a draft of what was just added, and merging behind the readers' backs
records           subscriptions as flat arrays, before they are indexed; the draft
encoding          a core becomes words, which `kernels.layout` explains
recipes           which words the cores of an outline have, and where constants and rows are put in
outlines          a core without its constants, so that how it is written is worked out once for many
shapes            what a subscription wants of a program's solutions: variables, names, form
segment           subscriptions that were compiled and indexed together, and never change
search            runs the kernels over one segment
parts             subscriptions that were compiled in another process, as bytes
merge             many segments, or parts, become one
lineages          a taxonomy as arrays, and as one segment's constants see it
event_statistics  a small sample of events, from which a segment's anchors are chosen
snapshots         a segment as a folder of flat arrays that every process maps and none copies
"""
