"""What is done to a node's data folder on the machine where it is.

administrator  `triplewire clients reset-admin`: another secret for the administrator, who has lost it
backup         `triplewire backup` and `triplewire restore`: a copy of a data folder, and the way back
"""
