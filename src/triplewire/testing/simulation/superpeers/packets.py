"""Packets of super-peers as a trace shows them."""

from __future__ import annotations

from triplewire.network.messages import LinkFrame, Packet


def kind_of(packet: Packet) -> str:
    """The name of a message, or of what a frame carries; frames that carry none are acknowledgements."""
    if isinstance(packet, LinkFrame):
        return "Acknowledgement" if packet.message is None else type(packet.message).__name__
    return type(packet).__name__


def body_of(packet: Packet) -> object:
    """The message in a frame, if there is one."""
    return packet.message if isinstance(packet, LinkFrame) and packet.message is not None else packet
