"""How pages are fetched, as configuration."""

from __future__ import annotations

from pydantic import BaseModel, ConfigDict, Field


class FetchSettings(BaseModel):
    """Limits on fetching. Whatever they refuse is refused by name, page by page.

    Args:
        allow_private: Also connect to private, loopback and link-local addresses. Only for pages
            of one's own network: a page found on the web could then redirect into it.
        max_redirects: How many in a row are followed, each checked like a first address.
        max_megabytes: The largest body, before and after decompression, in 10^6 bytes.
        timeout_s: Seconds for a page in all: its redirects, its header, its last byte. Waiting
            for one's turn is not counted, nor the system's own resolver, which has limits of its
            own.
        delay_s: The least pause between two requests to one host; robots.txt may ask for more.
        concurrency: Hosts asked at once; one host is asked one page at a time.
        user_agent: Sent with each request; its first word, up to a slash, is what robots.txt
            may name.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    allow_private: bool = False
    max_redirects: int = Field(default=5, ge=0, le=20)
    max_megabytes: float = Field(default=10.0, gt=0, le=1000)
    timeout_s: float = Field(default=20.0, gt=0, le=600)
    delay_s: float = Field(default=1.0, ge=0, le=60)
    concurrency: int = Field(default=8, ge=1, le=64)
    user_agent: str = Field(default="moot/0.1", pattern=r"^[!-~][ -~]*$", max_length=300)

    @property
    def max_bytes(self) -> int:
        """``max_megabytes`` in bytes."""
        return int(self.max_megabytes * 1_000_000)


__all__ = ["FetchSettings"]
