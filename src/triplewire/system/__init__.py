"""What several packages need of the operating system, once. Knows nothing of RDF.

backoff        how long to wait before the next try
durable_files  files and folders that are whole and on the disk, or as they were
folder_lock    one process at a time in a folder
"""
