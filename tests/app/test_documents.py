"""Documents of the reader's own: taken, quoted, refused by name; in a real browser."""

from __future__ import annotations

from pathlib import Path

import pytest

from flows.uploads import MEGABYTES
from tests.app.conftest import MUSEUMS
from tests.flows.test_uploads import bomb
from tests.support import ROOT

pytestmark = [pytest.mark.slow, pytest.mark.timeout(1200)]

MINE = """# The ledger of Velm

The harbour museum of Velm lost half of its visitors when it began to charge an entrance fee.
Free museums draw families of small means, as the counters at the doors of Velm have shown.
Entrance fees pay for the guards of a museum, and Velm had to dismiss its guards without them.
Museums that are free of charge depend on taxpayers, who may never visit a museum themselves.
A museum without an entrance fee needs other income, such as its shop, to conserve its objects.
<script>window.pwned = 7</script>
"""


def test_the_streamlit_limit_is_ours() -> None:
    config = (ROOT / "app" / ".streamlit" / "config.toml").read_text(encoding="utf-8")
    assert f"maxUploadSize = {MEGABYTES}\n" in config


def test_own_documents_are_quoted_and_hostile_ones_refused(  # type: ignore[no-untyped-def]  # selenium may be absent
    browser, address: str, tmp_path: Path
) -> None:
    driver = browser.driver
    held = tmp_path / "mine"
    held.mkdir()
    (held / "velm.md").write_text(MINE, encoding="utf-8")
    (held / "lie.pdf").write_bytes(b"Only words.")
    (held / "bomb.docx").write_bytes(bomb())
    (held / "<img src=x onerror=alert(1)>.txt").write_bytes(b" ")
    (held / "large.txt").write_bytes(b"word " * 300_000 * MEGABYTES)
    browser.open(address)
    browser.reads("What would you like to learn about?")
    browser.press("Documents of your own")
    field = browser.element('input[type="file"]')
    field.send_keys("\n".join(str(path) for path in sorted(held.iterdir())))
    browser.reads("Read: velm.md")
    browser.reads("lie.pdf is named .pdf but holds text")
    browser.reads("bomb.docx is a zip bomb")
    browser.reads("<img src=x onerror=alert(1)>.txt is empty")
    browser.reads(f"{MEGABYTES}.0MB or smaller")
    browser.shot("documents")
    browser.press_box("Draw on these alone")
    browser.fill('[data-testid="stSelectbox"] input', MUSEUMS, end="\ue007")
    browser.press("Set the table")
    browser.press("Start debate")
    browser.reads("Start next round")
    browser.reads("References")
    listed = driver.find_elements("css selector", ".mt .refs li a")
    assert listed
    assert {link.text for link in listed} == {"The ledger of Velm"}
    browser.click(".mt sup a")
    browser.until(lambda: len(driver.window_handles) == 2, "a second window")
    driver.switch_to.window(driver.window_handles[1])
    browser.reads("The cited passage")
    assert "half of its visitors" in browser.text()
    assert driver.execute_script("return window.pwned") is None
    # They are this run's alone.
    browser.open(f"{address}/runs")
    browser.reads(MUSEUMS)
    assert "velm.md" not in browser.text()
