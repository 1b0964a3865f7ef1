"""The page in a real browser, on the offline backend: the whole story, and what may go wrong."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.app.conftest import MUSEUMS, choose

pytestmark = [pytest.mark.slow, pytest.mark.timeout(1200)]


def test_the_whole_story(browser, address: str, rooms: Path) -> None:  # type: ignore[no-untyped-def]
    driver = browser.driver
    browser.open(address)
    browser.shot("empty")
    choose(browser, MUSEUMS)
    browser.reads("Start debate")
    browser.shot("personas")
    # Edit the first persona, add one of one's own, delete the second.
    browser.press("▲ for")
    browser.fill('input[aria-label="Title"]', "Night guard")
    browser.reads("Night guard")
    browser.press("Add my own persona")
    browser.reads("Custom title")
    browser.click(".st-key-seat-p2 summary")
    browser.remove(".st-key-seat-p2", '[class*="st-key-gone-"] button')
    # Round 1, as it happens.
    browser.press("Start debate")
    browser.reads("Round 1")
    browser.shot("live")
    browser.reads("Start next round")
    assert "Night guard" in browser.text()
    # A citation opens its source.
    assert browser.element(".mt sup a").get_attribute("title")
    first = driver.current_window_handle
    browser.click(".mt sup a")
    browser.until(lambda: len(driver.window_handles) == 2, "a second window")
    driver.switch_to.window(driver.window_handles[1])
    browser.reads("The cited passage")
    browser.shot("source")
    driver.close()
    driver.switch_to.window(first)
    # Votes fill the summary, and can be taken back.
    browser.press("Agree", 0)
    browser.reads("agreed")
    browser.press("Disagree", 1)
    browser.reads("disagreed")
    browser.press("Summary")
    browser.reads("Agreed")
    browser.until(lambda: browser.text().count("Remove") == 2, "two votes")
    browser.shot("summary")
    browser.press("Remove", 1)
    browser.until(lambda: browser.text().count("Remove") == 1, "one vote")
    browser.press("Graph")
    browser.element("[data-testid=stVegaLiteChart] svg")
    browser.shot("graph")
    # Round 2, then everything is still there after a reload.
    browser.press("Start next round")
    browser.reads("Round 2")
    browser.reads("Start next round")
    driver.refresh()
    browser.reads("2 rounds, 10 turns.")
    browser.press("Summary")
    browser.until(lambda: browser.text().count("Remove") == 1, "the vote that was left")
    browser.press("Figures")
    browser.reads("Balance of stances")
    browser.reads("Sentences with a source")
    browser.shot("figures")
    browser.press("Save and share")
    browser.press("JSON")
    saved = browser.until(lambda: list(browser.downloads.glob("*.json")), "the download")
    document = json.loads(saved[0].read_text(encoding="utf-8"))
    assert [len(r) for r in document["rounds"]] == [5, 5]
    assert list(document["votes"].values()) == ["up"]
    assert document["personas"][0]["title"] == "Night guard"
    assert not any((rooms / "home").rglob("*")), "nothing is written to the home folder"


def test_what_may_go_wrong(browser, address: str, hostile: str) -> None:  # type: ignore[no-untyped-def]
    driver = browser.driver
    # Two sessions at once, one with a persona that is hostile.
    browser.open(address)
    one = driver.current_window_handle
    choose(browser, MUSEUMS)
    browser.reads("Start debate")
    browser.press("▲ for")
    browser.fill(
        'input[aria-label="Title"]', "<b onclick=x>Bold</b> <script>window.pwned=4</script>"
    )
    browser.reads("<b onclick=x>Bold</b>")
    driver.switch_to.new_window("tab")
    browser.open(address)
    choose(browser, "Museum guards need entrance fees")
    browser.reads("Start debate")
    browser.press("Start debate")
    driver.switch_to.window(one)
    browser.press("Start debate")
    browser.reads("Start next round")
    assert "Museum guards need entrance fees" not in browser.text()
    assert "<script>window.pwned=4</script>" in browser.text()
    browser.shot("hostile")
    driver.switch_to.window(driver.window_handles[1])
    browser.reads("Start next round")
    assert MUSEUMS not in browser.text()
    browser.open(f"{address}/source?chunk={hostile}")
    browser.reads("The cited passage")
    assert "<script>window.pwned = 1</script>" in browser.text()
    assert '<img src=x onerror="window.pwned = 2">' in browser.text()
    for window in driver.window_handles:
        driver.switch_to.window(window)
        assert driver.execute_script("return window.pwned") is None
        assert not driver.execute_script("return document.querySelector('.mt script, .mt img')")
    # Errors in their own words: no key, nothing in the corpus, a link to no run.
    browser.open(address)
    choose(browser, "Boxing gloves should be heavier in professional fights")
    browser.reads("no evidence")
    browser.shot("error")
    browser.open(f"{address}/?run=nowhere")
    browser.reads("there is no such run")
    browser.open(f"{address}/runs")
    browser.reads("Museum guards need entrance fees")
    browser.open(address)
    browser.reads("What would you like to learn about?")
    browser.fill('[data-testid="stSelectbox"] input', "long " * 500, end="\ue007")
    browser.press("Set the table")
    browser.reads("too long")


def test_a_question_is_answered_on_its_page(browser, address: str) -> None:  # type: ignore[no-untyped-def]
    browser.open(f"{address}/answer")
    browser.reads("One answer with its sources")
    question = "Should all museums be free of charge?"
    browser.fill('[data-testid="stSelectbox"] input', question, end="\ue007")
    browser.press("Answer")
    browser.reads("Points of view")
    assert "disputed: yes" in browser.text()
    browser.shot("answer")
    # It is a run like any other.
    browser.open(f"{address}/runs")
    browser.reads(question)
