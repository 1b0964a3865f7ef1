"""A response's body, decompressed, never larger than allowed at any moment."""

from __future__ import annotations

import zlib
from collections.abc import Callable

import httpcore

from signatures.errors import InputError

Inflate = Callable[[bytes, int], bytes]
"""``(chunk, most)`` -> at most ``most`` bytes of what it unpacks to."""


def body_of(response: httpcore.Response, encoding: str, limit: int, *, cut: bool = False) -> bytes:
    """The body of a response that is being streamed.

    Args:
        response: Not read yet.
        encoding: Its ``Content-Encoding``.
        limit: The most bytes, both as sent and as unpacked.
        cut: Stop at the limit instead of refusing.

    Raises:
        InputError: It is too large, or packed in a way that cannot be read.
    """
    inflate = _inflate(encoding)
    body, sent = bytearray(), 0
    for chunk in response.iter_stream():
        sent += len(chunk)
        # One byte more than there is room for tells that there is more; no bomb unpacks further.
        body += inflate(chunk, limit - len(body) + 1)
        if len(body) > limit or sent > limit:
            if cut:
                return bytes(body[:limit])
            raise InputError(f"has over {limit} bytes")
    return bytes(body)


def _inflate(encoding: str) -> Inflate:
    if encoding.lower() in ("", "identity"):
        return lambda chunk, most: chunk[:most]
    if encoding.lower() not in ("gzip", "x-gzip", "deflate"):
        raise InputError(f"is packed as {encoding[:40]!r}", expected="gzip, deflate or nothing")
    unpacking = zlib.decompressobj(zlib.MAX_WBITS | 32)  # gzip or zlib, by its first bytes

    def inflate(chunk: bytes, most: int) -> bytes:
        try:
            return unpacking.decompress(chunk, most)
        except zlib.error as error:
            raise InputError("is packed and damaged") from error

    return inflate


__all__ = ["body_of"]
