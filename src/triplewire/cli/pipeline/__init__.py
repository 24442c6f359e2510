"""`triplewire pipeline …`: matching on Spark, over files, streams and history.

ask             `triplewire pipeline ask`: SPARQL over the history of a lake
group           `triplewire pipeline …`: the matcher inside Spark, over files, streams and history
history         `triplewire pipeline backfill` and `replay`: subscriptions over events that a lake has already
job             what every command of `triplewire pipeline` does around its job: a session, a progress bar, words
                about the run
keeping         `triplewire pipeline retain`, `vacuum` and `migrate`: what goes from a lake, and what is carried over
maintenance     `triplewire pipeline profile` and `compact`: look at what is published, and keep a lake in shape
match           `triplewire pipeline match`: files of events against subscriptions, into a lake
options         the options that commands of `triplewire pipeline` have in common, each said once
progress        the progress of a run on Spark, on standard error: events a second, matches, rejects and time left
report          `triplewire pipeline report`: what the subscriptions of a lake have done
rules           `triplewire pipeline rules --dry-run`: what would these rules have done over the history of a lake?
signals         SIGINT and SIGTERM for a job that can be asked to stop: the first asks, the second stops it at once
stream          `triplewire pipeline stream`: from a folder, Kafka or a node, into the lake, and from there to a
                node or to Kafka
stream_options  the options of `triplewire pipeline stream` that no other command has
validate        `triplewire pipeline validate`: the history of a lake against SHACL shapes
"""
