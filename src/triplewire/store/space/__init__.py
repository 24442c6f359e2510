"""What a node of an event space must find again: quadruples, events and records, in a SQLite database of their own.

    counts       how many quadruples the boxes have that are asked for again and again
    database     the storage of one node: open it, change it, commit
    index_updates  the indices follow the quadruples, a little with every commit
    quads        quadruples: storing them, and reading those in a box
    queries      a box as SQL, by the index that suits it
    records      records under keys, and events with the positions that they follow
    regions      boxes as the store takes them
    schema       the tables
    transaction  changes since the last commit, which a full disk does not lose

Nothing here knows what a zone is: a box is four pairs of byte strings.
"""

from triplewire.store.space.database import SpaceDatabase

__all__ = ["SpaceDatabase"]
