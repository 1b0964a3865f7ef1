"""Addresses and keys of servers, as configuration names them."""

from __future__ import annotations

import os
from urllib.parse import urlsplit

from signatures.errors import BackendError


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


def key_in(variable: str, *, of: str, instead: str) -> str:
    """The key that an environment variable holds, read when needed and kept nowhere.

    Args:
        variable: The variable's name.
        of: Who needs the key, for the message.
        instead: The option that needs none.

    Raises:
        BackendError: The variable is not set; it is named, its value never is.
    """
    value = os.environ.get(variable)
    if not value:
        raise BackendError(
            f"{of} needs a key",
            expected=f"the environment variable {variable}",
            got="nothing set",
            remedy=f"export {variable}=... or choose {instead}",
        )
    return value


__all__ = ["key_in", "plain_http"]
