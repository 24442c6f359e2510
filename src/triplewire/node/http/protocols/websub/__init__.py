"""A WebSub hub over subscriptions: whoever subscribes there gets what a standing query finds.

hub       checks that a subscriber means it, and then lets it have a webhook
requests  what a subscriber asks for, out of a form
routes    `/websub`
"""
