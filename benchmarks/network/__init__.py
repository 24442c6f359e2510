"""What subscriptions, publications and failures cost a simulated network, by its size.

plans       how large a run is
workload    who offers, asks and publishes what
measuring   messages, hops and indices at one size
failing     how long a network takes to recover when a tenth of it fails at once
"""
