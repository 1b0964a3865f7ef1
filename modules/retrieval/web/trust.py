"""Which hosts are trusted to bring evidence (S4, section 3 and table 10)."""

from __future__ import annotations

from pydantic import BaseModel, ConfigDict, field_validator


class Trust(BaseModel):
    """Lists of domains. An entry covers itself and every name below it, at whole labels.

    ``gov`` (or ``.gov``) covers ``nih.gov`` and ``www.nih.gov``, but neither ``evil-gov.com`` nor
    ``gov.evil.com``; ``example.com`` covers ``example.com`` and ``news.example.com``.

    Args:
        allow: Trusted domains; an empty list trusts every one. S4 allows the top-level domains
            gov, edu, org, pro and info.
        deny: Domains never used, whatever ``allow`` says.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    allow: tuple[str, ...] = ("gov", "edu", "org", "pro", "info")
    deny: tuple[str, ...] = ()

    @field_validator("allow", "deny")
    @classmethod
    def _plain(cls, value: tuple[str, ...]) -> tuple[str, ...]:
        return tuple(_entry(name) for name in value)

    def trusts(self, host: str) -> bool:
        """Whether pages of ``host`` (lower case, punycode) may be used."""
        if any(_covers(entry, host) for entry in self.deny):
            return False
        return not self.allow or any(_covers(entry, host) for entry in self.allow)


def _entry(name: str) -> str:
    """An entry in the form of a host: lower case, punycode, no dots around it."""
    bare = name.strip().strip(".").lower()
    if not bare or any(char in bare for char in "/@* \t"):
        raise ValueError(f"{name!r} is no domain, such as org or example.com")
    return bare if bare.isascii() else bare.encode("idna").decode("ascii")


def _covers(entry: str, host: str) -> bool:
    return host == entry or host.endswith("." + entry)


__all__ = ["Trust"]
