"""What happened in a run, and whether it is right.

calm     when nothing was being done to the network
checker  whether a history is right, judged from the history alone
history  what happened in a run, as those saw it who took part: peers, access points, and whoever broke things
ledger   who subscribed what from when to when, who offered, published and was told what
"""
