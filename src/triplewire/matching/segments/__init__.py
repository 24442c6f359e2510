"""Segments: subscriptions as flat arrays, from the first draft to merging and to files on disk.

encoding          see `kernels.layout` for what they mean
event_statistics  a small sample, kept as bytes, from which a segment's anchors are chosen
lineages          a taxonomy as arrays, and as one segment's constants see it
live_index        segments, a draft of what was just added, and merging behind the readers' backs
merge             live subscriptions are kept, equal constants, texts and programs are written once
records           subscriptions as flat arrays, before they are indexed: what a segment is built from, merged from
                  and saved as
search            run the kernels over one segment, with room that is kept from batch to batch
segment           subscriptions that were compiled and indexed together, and never change; removed ones are marked
shapes            what a subscription wants of a program's solutions: which variables, under which names, and in
                  which form
snapshots         a segment as a folder of flat arrays that every process maps and none copies
"""
