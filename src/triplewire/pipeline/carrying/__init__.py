"""What Spark brings to its executors, once a session, where they do not see the driver's files.

archives   folders as archives, unpacked once an executor for all of its Python workers
kernels    the matcher's machine code, compiled once, by the driver
"""
