"""A debate outlives the server that began it: killed in the middle, taken up again by its link."""

from __future__ import annotations

import os
import threading
from pathlib import Path

import pytest

from tests.app.conftest import MUSEUMS, free_port, serve
from tests.servers.debaters import debaters
from tests.servers.lm import LMRequest, LMServer, requested_fields

pytestmark = [pytest.mark.slow, pytest.mark.timeout(1200)]

KEY = "sk-never-to-be-seen"


def test_a_debate_goes_on_after_its_server_was_killed(  # type: ignore[no-untyped-def]  # selenium may be absent
    browser, rooms: Path, prefect_server: None
) -> None:
    asked: list[str] = []
    stuck, free = threading.Event(), threading.Event()

    def third_waits(request: LMRequest) -> str:
        """Answer, but the third turn only once it may."""
        if "relation" in requested_fields(request):
            asked.append(request.prompt)
            if len(asked) == 3:
                stuck.set()
                free.wait(timeout=600)
        return debaters(request)

    port = free_port()
    home = f"http://127.0.0.1:{port}"
    with LMServer(third_waits, models=("gpt-4o-mini",), api_key=KEY) as server:
        process = serve(rooms, port, OPENAI_API_KEY=KEY)
        try:
            browser.open(home)
            browser.reads("What would you like to learn about?")
            browser.press("Settings")
            browser.fill('input[aria-label*="Backend"]', "OpenAI, or any", end="\ue007")
            browser.fill('input[aria-label="Server"]', server.base_url)
            browser.fill('[data-testid="stSelectbox"] input', MUSEUMS, end="\ue007")
            browser.press("Set the table")
            browser.press("Start debate")
            browser.until(stuck.is_set, "the third turn asked for")
            browser.reads("turn 3 of 5")
            assert KEY not in browser.driver.page_source
            process.kill()
            process.wait(timeout=30)
            link = browser.driver.current_url
            free.set()
            process = serve(rooms, port, OPENAI_API_KEY=KEY)
            browser.open("about:blank")
            browser.open(link)
            browser.reads("The debate was interrupted; nothing is lost.")
            # What was said before is there to be read.
            assert browser.text().count("Fees pay for conservation") >= 2
            browser.shot("interrupted")
            browser.press("Go on")
            browser.reads("1 round, 5 turns.")
            browser.reads("Start next round")
            # Two turns were kept; the third was asked for again, then the others.
            assert len(asked) == 6
            assert asked[3] == asked[2]
        finally:
            free.set()
            process.kill()
            process.wait(timeout=30)
    run = rooms / "runs" / "debate" / link.partition("run=")[2]
    assert (run / "result.json").exists()
    for folder, _, files in os.walk(run):
        for name in files:
            assert KEY.encode() not in Path(folder, name).read_bytes()
