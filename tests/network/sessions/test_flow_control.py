"""Flow control of one subscription."""

from triplewire.network.sessions.access_point.flow_control import NotificationFlow


def test_a_window_is_filled_and_opens_with_acknowledgements():
    flow = NotificationFlow(1, 3)
    assert flow.credit == 3
    flow.begin(1)
    assert flow.credit == 0
    flow.end([10, 20, 30], has_more=True)
    assert flow.credit == 0
    assert flow.acknowledge(25) == 20
    assert flow.credit == 2


def test_what_is_noticed_while_a_page_is_read_is_not_missed():
    flow = NotificationFlow(1, 3)
    flow.begin(1)
    flow.mark_available()
    flow.end([], has_more=False)
    assert flow.credit == 3


def test_nothing_is_read_where_nothing_is_new():
    flow = NotificationFlow(1, 3)
    flow.begin(1)
    flow.end([10], has_more=False)
    assert flow.credit == 0
    assert flow.is_busy
    assert flow.acknowledge(10) == 10
    assert not flow.is_busy
    assert flow.credit == 0


def test_only_what_was_sent_can_be_acknowledged():
    flow = NotificationFlow(1, 3)
    flow.begin(1)
    flow.end([10, 20], has_more=False)
    assert flow.acknowledge(5) is None
    assert flow.acknowledge(1 << 60) == 20
    assert flow.acknowledge(1 << 60) is None
