"""A real, headless Chromium, driven as its user would: by what is written on the page."""

from __future__ import annotations

import os
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

from selenium import webdriver
from selenium.common.exceptions import StaleElementReferenceException, WebDriverException
from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys

T = TypeVar("T")
PATIENCE_S = float(os.environ.get("MOOT_PATIENCE_S", "120"))
"""Seconds in which a page that works shows what it has; more on a busy machine."""


TABS = 120
"""More stops than any page has."""
CONTROLS = (
    "button", "checkbox", "combobox", "DisclosureTriangle", "link", "listbox", "radio",
    "searchbox", "slider", "spinbutton", "switch", "tab", "textbox",
)  # fmt: skip
STOP = """
const stop = document.activeElement, look = getComputedStyle(stop);
const plain = ["A", "BUTTON", "SUMMARY"].includes(stop.tagName);
const label = stop.getAttribute("aria-label") || stop.labels?.[0]?.innerText
  || (plain ? stop.innerText : "");
const drawn = look.outlineStyle !== "none" && parseFloat(look.outlineWidth) >= 2;
// Fields show it by their border, which Streamlit draws.
return [label || "", drawn || !plain];
"""
"""What the element with the focus is called, and whether one sees that it has the focus."""


class Browser:
    """One browser; pictures of what it shows are kept in ``shots``."""

    def __init__(self, chromium: str, chromedriver: str, shots: Path, downloads: Path) -> None:
        options = webdriver.ChromeOptions()
        options.binary_location = chromium
        for flag in ("--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage"):
            options.add_argument(flag)
        options.add_argument("--window-size=1280,1000")
        options.add_experimental_option("prefs", {"download.default_directory": str(downloads)})
        self.driver = webdriver.Chrome(options, webdriver.ChromeService(chromedriver))
        self.shots = shots
        self.downloads = downloads

    def close(self) -> None:
        """End the browser."""
        self.driver.quit()

    def open(self, address: str) -> None:
        """Go to an address."""
        self.driver.get(address)

    def text(self) -> str:
        """All that can be read."""
        return self.driver.find_element(By.TAG_NAME, "body").text

    def until(self, seen: Callable[[], T], what: str) -> T:
        """Wait until ``seen`` gives something; the page may redraw itself meanwhile."""
        deadline = time.monotonic() + PATIENCE_S
        while time.monotonic() < deadline:
            try:
                if found := seen():
                    return found
            except (StaleElementReferenceException, WebDriverException, StopIteration):
                pass
            time.sleep(0.1)
        self.shot("timeout")
        raise AssertionError(f"never saw {what}; the page reads:\n{self.text()[:3000]}")

    def reads(self, words: str) -> None:
        """Wait until the page says ``words``."""
        self.until(lambda: words in self.text(), repr(words))

    def press(self, label: str, nth: int = 0) -> None:
        """Press the ``nth`` enabled button whose text holds ``label``."""

        def press() -> bool:
            buttons = self.driver.find_elements(By.CSS_SELECTOR, "button, summary")
            fitting = [b for b in buttons if label in b.text and b.is_enabled()]
            self._click(fitting[nth])
            return True

        def pressed() -> bool:
            try:
                return press()
            except IndexError:
                return False

        self.until(pressed, f"a button {label!r}")

    def press_box(self, label: str) -> None:
        """Press the checkbox beside a label."""

        def pressed() -> bool:
            boxes = self.driver.find_elements(By.CSS_SELECTOR, '[data-testid="stCheckbox"] label')
            self._click(next(box for box in boxes if label in box.text))
            return True

        self.until(pressed, f"a box {label!r}")

    def click(self, selector: str) -> None:
        """Click the first element of a CSS selector."""

        def clicked() -> bool:
            self._click(self.driver.find_element(By.CSS_SELECTOR, selector))
            return True

        self.until(clicked, selector)

    def remove(self, selector: str, button: str) -> None:
        """Press the button inside an element until the element is gone for good.

        The element opens slowly, and a press at where the button was a moment ago is none.
        """

        def gone() -> bool:
            if not self.driver.find_elements(By.CSS_SELECTOR, selector):
                time.sleep(1.0)
                return not self.driver.find_elements(By.CSS_SELECTOR, selector)
            self._click(self.driver.find_element(By.CSS_SELECTOR, f"{selector} {button}"))
            time.sleep(1.0)
            return False

        self.until(gone, f"{selector} gone")

    def element(self, selector: str) -> Any:
        """The first element of a CSS selector, once it is there."""
        return self.until(lambda: self.driver.find_element(By.CSS_SELECTOR, selector), selector)

    def fill(self, selector: str, value: str, *, end: str = Keys.TAB) -> None:
        """Replace what a field holds."""
        field = self.element(selector)
        field.send_keys(Keys.CONTROL, "a")
        field.send_keys(value, end)

    def keys(self, *keys: str) -> None:
        """Type into whatever has the focus."""
        self.driver.switch_to.active_element.send_keys(*keys)

    def select_all(self) -> None:
        """Mark all that the focused field holds."""
        self.keys(Keys.CONTROL + "a")

    def focused(self) -> str:
        """The accessible name of what has the focus."""
        return str(self.driver.switch_to.active_element.accessible_name)

    def tab_to(self, name: str) -> None:
        """Press Tab until the focus is on what is named so; each stop on the way is in sight."""

        def there() -> bool:
            for _ in range(TABS):
                self.keys(Keys.TAB)
                found, seen = self.driver.execute_script(STOP)
                if not seen:  # unless the page is just being drawn
                    self.until(lambda: self.driver.execute_script(STOP)[1], f"focus on {found!r}")
                if name in found:
                    return True
            return False

        self.until(there, f"a way to {name!r} by Tab")

    def enabled(self, label: str) -> bool:
        """Whether there is a button with the label that can be pressed."""
        buttons = self.driver.find_elements(By.TAG_NAME, "button")
        return any(label in b.text and b.is_enabled() for b in buttons)

    def nameless(self) -> list[str]:
        """Controls for which Chromium has no name to give to a screen reader."""
        tree = self.driver.execute_cdp_cmd("Accessibility.getFullAXTree", {})["nodes"]
        nodes = [node for node in tree if not node.get("ignored")]
        assert sum(node["role"]["value"] in CONTROLS for node in nodes) > 3
        return [
            str(node)
            for node in nodes
            if node["role"]["value"] in CONTROLS and not _named(node.get("name", {}).get("value"))
        ]

    def _click(self, element: Any) -> None:
        # In the middle of the window: at its edge the page's own header may lie above it.
        self.driver.execute_script("arguments[0].scrollIntoView({block: 'center'})", element)
        element.click()

    def shot(self, name: str) -> None:
        """Keep a picture."""
        self.driver.save_screenshot(str(self.shots / f"{name}.png"))


def _named(name: str | None) -> bool:
    """Whether a name says something: that of an icon's picture does not."""
    return bool(name and name.strip()) and not str(name).endswith(" icon")


__all__ = ["Browser"]
