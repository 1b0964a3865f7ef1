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

    def _click(self, element: Any) -> None:
        # In the middle of the window: at its edge the page's own header may lie above it.
        self.driver.execute_script("arguments[0].scrollIntoView({block: 'center'})", element)
        element.click()

    def shot(self, name: str) -> None:
        """Keep a picture."""
        self.driver.save_screenshot(str(self.shots / f"{name}.png"))


__all__ = ["Browser"]
