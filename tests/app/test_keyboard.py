"""The page without a mouse: every step by keys, focus always in sight, a name for every control."""

from __future__ import annotations

import pytest

from tests.app.conftest import MUSEUMS

pytestmark = [pytest.mark.slow, pytest.mark.timeout(1200)]

ENTER, SPACE, DOWN, RIGHT = "\ue007", "\ue00d", "\ue015", "\ue014"


def test_the_story_by_keyboard_alone(browser, address: str) -> None:  # type: ignore[no-untyped-def]  # selenium may be absent
    browser.open(address)
    browser.reads("What would you like to learn about?")
    browser.tab_to("Topic")
    browser.keys(MUSEUMS, ENTER)
    browser.until(lambda: browser.enabled("Set the table"), "the button to wake")
    assert browser.nameless() == []
    browser.tab_to("Set the table")
    browser.keys(ENTER)
    browser.reads("Start debate")
    # A persona is opened, renamed, moved and another one removed.
    browser.tab_to("▲ for")
    browser.keys(ENTER)
    browser.tab_to("Title")
    browser.select_all()
    browser.keys("Night guard")
    browser.tab_to("Later")
    browser.keys(ENTER)
    browser.reads("Night guard")
    assert browser.nameless() == []
    browser.tab_to("Start debate")
    browser.keys(ENTER)
    browser.reads("Start next round")
    browser.reads("1 round, 5 turns.")
    # A vote, and what it leads to.
    browser.tab_to("Agree")
    browser.keys(SPACE)
    browser.reads("agreed")
    assert browser.nameless() == []
    browser.tab_to("Round 1")
    browser.keys(RIGHT)
    if browser.focused() != "Summary":  # arrows move in a group of buttons, or Tab does
        browser.tab_to("Summary")
    browser.keys(SPACE)
    browser.reads("Remove")
    assert browser.nameless() == []
    # A citation's source, in a window of its own.
    driver = browser.driver
    browser.tab_to("[1]")
    browser.keys(ENTER)
    browser.until(lambda: len(driver.window_handles) == 2, "a second window")
    driver.switch_to.window(driver.window_handles[1])
    browser.reads("The cited passage")
    assert browser.nameless() == []
