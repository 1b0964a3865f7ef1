"""Which addresses may be connected to, enforced where the connection is made.

A name is resolved once and the connection goes to the address that was checked, so that a name
whose answer changes in between (DNS rebinding) gains nothing. TLS still asks for, and verifies,
the name. Odd spellings of an address (decimal, octal, mapped) need no rules of their own: what
is checked is the address that they resolve to.
"""

from __future__ import annotations

import ipaddress
import socket
import ssl
import time
from collections.abc import Iterable

import httpcore
import httpx

from signatures.errors import InputError

_MAX_URL = 2048  # characters
_NAT64 = ipaddress.ip_network("64:ff9b::/96")  # RFC 6052: an IPv4 address in its last 32 bits

Address = ipaddress.IPv4Address | ipaddress.IPv6Address


def target(url: str) -> httpx.URL:
    """The address a request for ``url`` goes to, without its fragment.

    Raises:
        InputError: It is no http(s) address, holds credentials, or cannot be one.
    """
    if len(url) > _MAX_URL:
        raise InputError(f"has an address of over {_MAX_URL} characters")
    try:
        parsed = httpx.URL(url)
    except (httpx.InvalidURL, ValueError) as error:
        raise InputError("has an unusable address", got=str(error)) from error
    if parsed.scheme not in ("http", "https"):
        raise InputError("is not fetched", expected="http or https", got=repr(parsed.scheme))
    if not parsed.host:
        raise InputError("has an address without a host")
    if parsed.userinfo:
        raise InputError("has an address with credentials")
    return parsed.copy_with(fragment=None)


def host_of(url: httpx.URL) -> str:
    """The host as DNS knows it: lower case, punycode, without a final dot."""
    return url.raw_host.decode("ascii").lower().rstrip(".")


def public(address: Address) -> bool:
    """Whether the address belongs to the public internet, and so does any IPv4 one inside it."""
    inner = _inside(address)
    if inner is not None and not public(inner):
        return False
    special = address.is_multicast or address.is_reserved or address.is_unspecified
    if isinstance(address, ipaddress.IPv6Address):
        special = special or address.is_site_local
        if address.ipv4_mapped is not None or address in _NAT64:
            return True
    return address.is_global and not special


def addresses(host: str, port: int, *, allow_private: bool) -> list[str]:
    """What ``host`` resolves to, if all of it may be connected to.

    Raises:
        InputError: It resolves to nothing, or to an address that is not public.
    """
    try:
        found = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)
    except (OSError, UnicodeError) as error:
        raise InputError(f"{host} does not resolve") from error
    numbers = list(dict.fromkeys(str(entry[4][0]) for entry in found))
    for number in numbers:
        if not allow_private and not public(ipaddress.ip_address(number.partition("%")[0])):
            raise InputError(
                f"{host} lies at an address that is not public",
                got=number,
                remedy="allow_private=true among the fetch settings allows it",
            )
    return numbers


class GuardedBackend(httpcore.NetworkBackend):
    """Connects to checked addresses only, and for no longer than until ``deadline``.

    Args:
        deadline: ``time.monotonic()`` at which every connection of this backend ends, however
            slowly its bytes drip.
        allow_private: See :class:`~modules.retrieval.web.settings.FetchSettings`.
    """

    def __init__(self, deadline: float, *, allow_private: bool) -> None:
        self._deadline = deadline
        self._allow_private = allow_private
        self._real = httpcore.SyncBackend()

    def connect_tcp(
        self,
        host: str,
        port: int,
        timeout: float | None = None,
        local_address: str | None = None,
        socket_options: Iterable[httpcore.SOCKET_OPTION] | None = None,
    ) -> httpcore.NetworkStream:
        failure: Exception = InputError(f"{host} does not resolve")
        for number in addresses(host, port, allow_private=self._allow_private):
            left = _left(self._deadline, timeout, httpcore.ConnectTimeout)
            try:
                stream = self._real.connect_tcp(number, port, left, local_address, socket_options)
            except (httpcore.ConnectError, httpcore.ConnectTimeout) as error:
                failure = error  # the host's next address may answer
            else:
                return _TimedStream(stream, self._deadline)
        raise failure


class _TimedStream(httpcore.NetworkStream):
    """A connection on which no single wait outlasts the deadline."""

    def __init__(self, stream: httpcore.NetworkStream, deadline: float) -> None:
        self._stream = stream
        self._deadline = deadline

    def read(self, max_bytes: int, timeout: float | None = None) -> bytes:
        left = _left(self._deadline, timeout, httpcore.ReadTimeout)
        return self._stream.read(max_bytes, left)

    def write(self, buffer: bytes, timeout: float | None = None) -> None:
        self._stream.write(buffer, _left(self._deadline, timeout, httpcore.WriteTimeout))

    def close(self) -> None:
        self._stream.close()

    def start_tls(
        self,
        ssl_context: ssl.SSLContext,
        server_hostname: str | None = None,
        timeout: float | None = None,
    ) -> httpcore.NetworkStream:
        left = _left(self._deadline, timeout, httpcore.ConnectTimeout)
        inner = self._stream.start_tls(ssl_context, server_hostname, left)
        return _TimedStream(inner, self._deadline)

    def get_extra_info(self, info: str) -> object:
        return self._stream.get_extra_info(info)


def _left(deadline: float, timeout: float | None, late: type[httpcore.TimeoutException]) -> float:
    left = deadline - time.monotonic()
    if left <= 0:
        raise late("the time is up")
    return left if timeout is None else min(left, timeout)


def _inside(address: Address) -> ipaddress.IPv4Address | None:
    """The IPv4 address that an IPv6 one stands for: mapped, 6to4 or NAT64."""
    if isinstance(address, ipaddress.IPv4Address):
        return None
    if address in _NAT64:
        return ipaddress.IPv4Address(int(address) & 0xFFFF_FFFF)
    return address.ipv4_mapped or address.sixtofour


__all__ = ["GuardedBackend", "addresses", "host_of", "public", "target"]
