"""Solid's notifications over subscriptions: WebSocketChannel2023 and WebhookChannel2023.

descriptions  what others find: the storage, its subscription services, a channel; in JSON-LD and Turtle
negotiation   what a client asks of a subscription service, out of JSON-LD or Turtle
routes        `/.well-known/solid`, `/solid/{channel_type}`, `/solid/channels/{name}`
"""
