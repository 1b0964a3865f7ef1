"""Which addresses are public, however they are written."""

import ipaddress
import socket
from typing import Any

import pytest

from modules.retrieval.web.guard import addresses, public, target
from signatures.errors import InputError

PUBLIC = "8.8.8.8 2606:4700::1111 ::ffff:8.8.8.8 64:ff9b::808:808 2002:808:808::1"
PRIVATE = """
    127.0.0.1 10.1.1.1 172.16.0.1 192.168.1.1 169.254.169.254 100.64.1.1 224.0.0.1 0.0.0.0
    240.0.0.1 255.255.255.255 192.0.2.1 ::1 :: fe80::1 fc00::1 fec0::1 ff02::1 2001:db8::1
    ::ffff:127.0.0.1 ::ffff:10.0.0.1 2002:7f00:1::1 64:ff9b::7f00:1 64:ff9b:1::1 ::127.0.0.1"""


@pytest.mark.parametrize("number", PUBLIC.split())
def test_public_addresses(number: str) -> None:
    assert public(ipaddress.ip_address(number))


@pytest.mark.parametrize("number", PRIVATE.split())
def test_addresses_that_are_not_public(number: str) -> None:
    assert not public(ipaddress.ip_address(number))


# Decimal, hexadecimal and octal numbers are read as addresses by the system's resolver.
@pytest.mark.parametrize("host", ["2130706433", "0x7f.1", "0x7f000001", "127.1", "localhost"])
def test_odd_spellings_of_loopback(host: str) -> None:
    with pytest.raises(InputError, match=r"not public; got (127\.0\.0\.1|::1)"):
        addresses(host, 80, allow_private=False)
    assert set(addresses(host, 80, allow_private=True)) <= {"127.0.0.1", "::1"}


def test_a_name_with_one_private_address_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    def resolve(host: str, port: int, **_: Any) -> list[Any]:
        kind = (socket.AF_INET, socket.SOCK_STREAM, 6, "")
        return [(*kind, ("8.8.8.8", port)), (*kind, ("10.0.0.5", port))]

    monkeypatch.setattr("modules.retrieval.web.guard.socket.getaddrinfo", resolve)
    with pytest.raises(InputError, match=r"got 10\.0\.0\.5"):
        addresses("example.org", 80, allow_private=False)


@pytest.mark.parametrize(
    ("url", "said"),
    [
        ("file:///etc/passwd", "expected http or https; got 'file'"),
        ("ftp://example.org/a", "got 'ftp'"),
        ("javascript:alert(1)", "got 'javascript'"),
        ("//example.org/a", "expected http or https"),
        ("http:///path", "without a host"),
        ("http://good.org@evil.com/", "with credentials"),
        ("http://good.org\\@127.0.0.1/", "with credentials"),
        ("http://me:secret@example.org/", "with credentials"),
        ("http://①②⑦.0.0.1/", "unusable address"),
        ("http://example.org/\x00", "unusable address"),
        ("http://[::1/", "unusable address"),
        ("http://0177.0.0.1/", "unusable address"),
        ("http://example.org/" + "a" * 3000, "over 2048 characters"),
    ],
)
def test_addresses_that_are_not_asked(url: str, said: str) -> None:
    with pytest.raises(InputError) as caught:
        target(url)
    assert said in caught.value.line()
    assert "secret" not in caught.value.line()


def test_a_target_is_in_normal_form() -> None:
    assert str(target("HTTPS://Example.ORG/ä?q=ü#part")) == "https://example.org/%C3%A4?q=%C3%BC"
    assert target("http://bücher.example/").raw_host == b"xn--bcher-kva.example"
