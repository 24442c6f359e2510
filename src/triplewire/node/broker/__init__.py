"""The broker: events, subscriptions, notifications and dead letters, on one durable store.

admission             whose notifications are made now and whose later, decided before any is made (row A9)
advertisements        what each will publish, kept until it is withdrawn or its time is over
broker                publish, subscribe, read, acknowledge, for callers on an event loop
dead_letters          notifications that were given up, kept with the reason
events                they are published, and found again in the log
housekeeping          for how long things are kept, and the snapshot that makes the next start short
notifications         a subscription's are read in pages, waited for, and acknowledged
publish_queue         requests to publish that come while a commit is under way wait together for the next one
publish_step          publishing, as one step inside a transaction: requests in; receipts and notifications out
recent_notifications  what was just put into the outboxes of subscriptions that somebody follows, in memory from
                      its commit on
startup               everything that is kept in memory is read from the folder once, at the start
state                 what the parts of a broker share: the store, what is known of it in memory, and who waits to
                      be woken
subscription_index    what the node knows of its subscriptions without asking the disk
subscriptions         a standing query is checked, stored, and matched from the next event on, or catches up first
"""
