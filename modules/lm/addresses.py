"""Addresses of servers, as configuration names them."""

from __future__ import annotations

from urllib.parse import urlsplit


def plain_http(value: str) -> str:
    """An http(s) address without its last slash.

    Raises:
        ValueError: It has another form, or holds credentials; it is not repeated.
    """
    parts = urlsplit(value)
    if parts.scheme not in {"http", "https"} or not parts.hostname:
        raise ValueError("base_url must be an http(s) address")
    if parts.username or parts.password or parts.query:
        raise ValueError("base_url must hold no credentials; name the key in api_key_env")
    return value.rstrip("/")


__all__ = ["plain_http"]
