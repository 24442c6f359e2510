"""The matcher's inner loops: numba, flat arrays, no Python objects.

Every kernel is an ordinary Python function as well: with NUMBA_DISABLE_JIT=1 the same lines run interpreted.
"""
