"""The home of a peer."""

from __future__ import annotations

import stat

import pytest

from triplewire.client.peer import Folder, Gap
from triplewire.errors import InputError
from triplewire.network.sessions.peer.saved_state import AccessPointInfo
from triplewire.network.sessions.peer_messages import Notification, Resource


def test_a_home_keeps_its_key_to_itself(tmp_path):
    folder = Folder.make(tmp_path / "home", AccessPointInfo(bytes(32), "tcp://127.0.0.1:1"))
    assert stat.S_IMODE((folder.path / "key").stat().st_mode) == 0o600
    assert folder.keys().secret not in (folder.path / "home.json").read_text()
    (folder.path / "key").chmod(0o644)
    with pytest.raises(InputError, match="chmod 600"):
        folder.keys()


def test_a_home_has_one_program_and_one_peer(tmp_path):
    folder = Folder.make(tmp_path / "home", AccessPointInfo(bytes(32), "tcp://127.0.0.1:1"))
    with folder, pytest.raises(InputError, match="a program that uses it"), Folder(folder.path):
        pass
    with pytest.raises(InputError, match="without a peer"):
        Folder.make(folder.path, AccessPointInfo(bytes(32), "tcp://127.0.0.1:1"))
    with pytest.raises(InputError, match="peer init"):
        Folder(tmp_path / "elsewhere").keys()


@pytest.mark.parametrize("location", ["../key", "/etc/passwd", "a/../../key", "link", "", ".", "folder", "a\0b"])
def test_nothing_outside_the_resources_is_given_away(tmp_path, location):
    folder = Folder.make(tmp_path / "home", AccessPointInfo(bytes(32), "tcp://127.0.0.1:1"))
    (folder.path / "resources" / "folder").mkdir()
    (folder.path / "resources" / "link").symlink_to(folder.path / "key")
    assert folder.resource(location, 1_000) == (b"", "no such resource")


def test_a_resource_is_found_unless_it_is_too_large(tmp_path):
    folder = Folder.make(tmp_path / "home", AccessPointInfo(bytes(32), "tcp://127.0.0.1:1"))
    (folder.path / "resources" / "folder").mkdir()
    (folder.path / "resources" / "folder" / "r").write_bytes(b"123")
    assert folder.resource("folder/r", 3) == (b"123", "")
    assert folder.resource("folder/r", 2) == (b"", "a resource of more than 2 bytes")


def message(name: str, event: str) -> Notification:
    return Notification(name, 1, 1, event, "tw-p", "sp-o", b'{"event":"%s"}' % event.encode())


def test_a_notification_is_saved_once_whichever_way_it_comes(tmp_path):
    folder = Folder.make(tmp_path / "home", AccessPointInfo(bytes(32), "tcp://127.0.0.1:1"))
    first = folder.notify([message("a", "urn:1"), message("a", "urn:2"), message("a", "urn:1")])
    assert [saved and saved.event for saved in first] == ["urn:1", "urn:2", None]
    again = folder.notify([message("a", "urn:2"), message("b", "urn:2")])
    assert [saved and saved.subscription for saved in again] == [None, "b"]
    assert sorted((saved.subscription, saved.event) for saved in folder.notifications()) == [
        ("a", "urn:1"),
        ("a", "urn:2"),
        ("b", "urn:2"),
    ]
    assert folder.notification("urn:1").publisher == "tw-p"


def test_what_was_being_written_when_the_process_ended_is_not_taken_for_a_notification(tmp_path):
    folder = Folder.make(tmp_path / "home", AccessPointInfo(bytes(32), "tcp://127.0.0.1:1"))
    (folder.path / "notifications" / ".x.json.ab12.part").write_bytes(b"{")
    assert folder.notifications() == []


def test_a_rendezvous_file_is_saved_under_what_it_was_asked_for(tmp_path):
    """Whatever its owner calls it, nothing is written elsewhere."""
    folder = Folder.make(tmp_path / "home", AccessPointInfo(bytes(32), "tcp://127.0.0.1:1"))
    file = folder.receive(Resource("../../evil", "tw-o", "../../evil", b"content"))
    assert file.parent == folder.path / "rendezvous"
    assert file.read_bytes() == b"content"


def test_what_was_lost_is_kept_and_what_begins_at_the_same_place_is_one(tmp_path):
    folder = Folder.make(tmp_path / "home", AccessPointInfo(bytes(32), "tcp://127.0.0.1:1"))
    assert folder.gaps() == []
    for until in (4, 6):
        folder.add_gap(Gap("all", "tw-ap", 1, until))
    folder.add_gap(Gap("all", "tw-ap", 9, 12))
    folder.add_gap(Gap("all", "tw-other", 1, 2))
    assert folder.gaps() == [Gap("all", "tw-ap", 1, 6), Gap("all", "tw-ap", 9, 12), Gap("all", "tw-other", 1, 2)]
    assert str(folder.gaps()[0]).startswith("notifications of 'all' after position 1, up to 6, are lost")
