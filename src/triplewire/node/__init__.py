"""The node: a durable broker that people and programs talk to over HTTP.

access        who may do what on a node, and how much of it
access_point  the node as an access point: sessions of peers that come and go
broker        events, subscriptions, notifications and dead letters, on one durable store
delivery      how notifications reach subscribers
federation    rules across super-peers: the machine that decides, on the event loop, with the disk below it
http          thin routes over the node
living        a dataset that is changed in transactions, with rules over it
logs          one line an entry, for people or as JSON
matching      live subscriptions, those that still catch up, and answers as JSON
overlay       the node as a super-peer: runs its state machine, saves its state, and connects it with the broker
readiness     what a service manager is told: that the node is ready, and that it is stopping
repository    what answers SPARQL: datasets in processes of their own, which can be killed
rules         registered, triggered and executed, over the living graph
sepa          SEPA's protocol, so that its clients work with a node unchanged
serve         run a node until it is told to stop, or its disk fails
service       the broker, who its clients are, the repository, and what looks after them
settings      each by flag, by environment variable and by file, in that order of precedence
shutdown      what SIGTERM and SIGINT do, from the first moment of a start to the end
space         the node in an event space: a worker process with its quadruples, and what ties it to the broker
store         the one way to the store, from the event loop and from the writer's own thread
tracing       traces from a request over the commit to the delivery, for OpenTelemetry
transport     messages between super-peers over ZeroMQ with CURVE
views         standing queries over the living graph, as subscriptions whose notifications are what changed
"""
