"""Lets SEPA's client for Python do what standard input says, one JSON object a line, and tells what happens.

python driver.py JSAP [identity IDENTITY], with the client's packages on PYTHONPATH
"""

import json
import logging
import sys
import time
import warnings
from pathlib import Path
from threading import Lock

from sepy.Exceptions import SubscriptionTimeoutException
from sepy.SAPObject import SAPObject
from sepy.SEPA import SEPA

logging.disable(logging.CRITICAL)
# It does not look at certificates, and says so each time.
warnings.simplefilter("ignore")
# What it prints itself is not for whoever listens.
heard, sys.stdout = sys.stdout, sys.stderr
identity = sys.argv[3] if len(sys.argv) > 3 else None
client = SEPA(sapObject=SAPObject(json.loads(Path(sys.argv[1]).read_text())), client_id=identity)
subscriptions = {}
telling = Lock()


def tell(**members):
    with telling:
        print(json.dumps(members), file=heard, flush=True)


def handler(name):
    return lambda added, removed: tell(event="notification", name=name, added=added, removed=removed)


def subscribe(asked):
    name = asked["name"]
    subscriptions[name] = client.sparql_subscribe(asked["sparql"], name, handler(name))


def jsap_subscribe(asked):
    name = asked["name"]
    subscriptions[name] = client.subscribe(asked["id"], name, asked["bindings"], handler(name))


def unsubscribe(asked):
    socket = client.get_subscriptions()[subscriptions[asked["name"]]]
    client.unsubscribe(subscriptions[asked["name"]])
    deadline = time.monotonic() + 20
    # The client closes its socket when the end is confirmed, and tells nobody.
    while socket.keep_running:
        if time.monotonic() > deadline:
            raise TimeoutError("the end of the subscription was not confirmed")
        time.sleep(0.01)
    tell(event="unsubscribed", name=asked["name"])


DOING = {
    "query": lambda asked: client.sparql_query(asked["sparql"]),
    "update": lambda asked: client.sparql_update(asked["sparql"]),
    "jsap query": lambda asked: client.query(asked["id"], asked["bindings"]),
    "jsap update": lambda asked: client.update(asked["id"], asked["bindings"]),
    "subscribe": subscribe,
    "jsap subscribe": jsap_subscribe,
    "unsubscribe": unsubscribe,
}

for line in sys.stdin:
    asked = json.loads(line)
    try:
        tell(event="done", result=DOING[asked["do"]](asked))
    except SubscriptionTimeoutException:
        tell(event="error", name=asked["name"], status=None, text="timeout")
    except Exception as problem:  # noqa: BLE001  whatever the client raises is told
        tell(event="failed", status=None, text=str(problem))
