"""Messages between the nodes of a space beside those of the overlay: a survey asks a node how it stands."""

from __future__ import annotations

from msgspec import Struct

from triplewire.network.can.messages import Address, Message, Record


class SurveyRequest(Struct, frozen=True, tag="survey", array_like=True):
    """Answer with a description of yourself. May be lost; whoever asks repeats it."""

    number: int
    asker: Address


class NodeDescription(Struct, frozen=True, array_like=True):
    """How a node stands. `loads` are the quadruples of each claim, `neighbours` those that it knows."""

    record: Record
    stage: str
    loads: tuple[int, ...]
    neighbours: tuple[Address, ...]


class SurveyAnswer(Struct, frozen=True, tag="survey-answer", array_like=True):
    """To whoever asked."""

    number: int
    description: NodeDescription


SpaceNodeMessage = Message | SurveyRequest | SurveyAnswer
