"""From files to events: which files, which byte ranges of them, and what is in a range.

options        how they are read
files          paths, folders and globs become files of known format and compression
splits         files become ranges that tasks read, of about equal size
boundaries     where an event begins in N-Quads, near any byte
chunks         a range becomes pieces of N-Quads that hold whole events
split_reader   any split becomes chunks and rejects
chunk_rows     what a chunk holds: rows of sound events, and rejects
event_times    the time of each event, from one of its properties or its file
datasource     the same for `spark.read.format("triplewire")`
file_offsets   which files a stream has seen, as an offset of that data source
kafka          messages of a topic become events, and notifications become messages
"""
