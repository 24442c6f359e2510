"""Files wherever they are, for driver and tasks alike: local disks, S3, Azure, Google Cloud Storage, HDFS.

location      where something is, with the options to reach it; small, and travels with tasks
options       what reaches a storage: the usual environment variables, or KEY=VALUE
file_systems  locations opened through pyarrow.fs
files         list, match globs, read ranges, write, delete
copies        files of a storage as files of this machine
creation      files that are created once, whoever tries
delta         the same locations as the package `deltalake` wants them
"""
