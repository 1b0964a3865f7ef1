"""Fetching from real local servers, kind and hostile ones."""

import datetime
import gzip
import ipaddress
import socket
import ssl
import zlib
from pathlib import Path
from typing import Any

import pytest

from modules.retrieval.web.fetch import Fetcher, _tls
from modules.retrieval.web.settings import FetchSettings
from signatures.errors import InputError
from tests.servers.site import Answer, Site, article, redirect

PAGE = Answer(article("Museums", "Entry fees keep families out.").encode())
REAL = socket.getaddrinfo


def fetcher(**settings: Any) -> Fetcher:
    given = {"allow_private": True, "delay_s": 0.0, "timeout_s": 5.0} | settings
    return Fetcher(FetchSettings(**given))


def refusal(site: Site, path: str = "/", **settings: Any) -> str:
    with pytest.raises(InputError) as caught:
        fetcher(**settings).page(site.base_url + path)
    return caught.value.line()


def test_a_page_and_what_is_sent_for_it() -> None:
    with Site({"/a": PAGE}) as site:
        page = fetcher(user_agent="tester/1.0 (me@example.org)").page(f"{site.base_url}/a?x=1#part")
        assert page.raw == PAGE.body
        assert (page.url, page.kind) == (f"{site.base_url}/a?x=1", "html")
        assert site.paths == ["/robots.txt", "/a?x=1"]
        sent = site.asked[1].headers
        assert sent["user-agent"] == "tester/1.0 (me@example.org)"
        assert sent["host"] == f"127.0.0.1:{site.port}"
        assert "cookie" not in sent


@pytest.mark.parametrize(
    ("declared", "path", "kind"),
    [
        ("text/plain", "/notes", "txt"),
        ("text/plain; charset=utf-8", "/notes.md", "md"),
        ("text/csv", "/rows", "csv"),
        ("application/pdf", "/paper", "pdf"),
        ("application/xhtml+xml", "/x", "html"),
    ],
)
def test_kinds_by_declared_type(declared: str, path: str, kind: str) -> None:
    with Site({path: Answer(b"words", type=declared)}) as site:
        assert fetcher().page(site.base_url + path).kind == kind


def test_the_header_s_encoding_goes_before_the_page_s() -> None:
    raw = '<meta charset="utf-8"><p>Музеи'.encode("koi8-r")
    with Site({"/": Answer(raw, type="text/html; charset=KOI8-R")}) as site:
        assert "Музеи".encode() in fetcher().page(site.base_url + "/").raw


@pytest.mark.parametrize("encoding", ["gzip", "deflate"])
def test_packed_pages(encoding: str) -> None:
    packed = gzip.compress(PAGE.body) if encoding == "gzip" else zlib.compress(PAGE.body)
    with Site({"/": Answer(packed, headers={"Content-Encoding": encoding})}) as site:
        assert fetcher().page(site.base_url + "/").raw == PAGE.body


HOSTILE = {
    "missing": (None, "HTTP status 404"),
    "broken": (Answer(b"", 503), "HTTP status 503"),
    "image": (Answer(b"\x89PNG", type="image/png"), "is of type image/png"),
    "untyped": (Answer(b"words", type=""), "declares no type"),
    "large": (Answer(b"x" * 200_000), "has over 100000 bytes"),
    "endless": (Answer(b"x" * 10_000, endless=True), "has over 100000 bytes"),
    "bomb": (
        Answer(gzip.compress(b"\0" * 50_000_000), headers={"Content-Encoding": "gzip"}),
        "has over 100000 bytes",
    ),
    "torn": (
        Answer(b"no gzip at all", headers={"Content-Encoding": "gzip"}),
        "packed and damaged",
    ),
    "brotli": (Answer(b"x", headers={"Content-Encoding": "br"}), "packed as 'br'"),
    "file": (redirect("file:///etc/passwd"), "redirects to what is not fetched"),
    "loop": (redirect("/loop"), "redirects again and again; expected at most 2 times"),
    "headers": (Answer(b"x", headers={"X-Long": "x" * 300_000}), "cannot be reached"),
}


@pytest.mark.parametrize("name", HOSTILE)
def test_hostile_answers_are_refused_by_name(name: str) -> None:
    answer, said = HOSTILE[name]
    with Site({f"/{name}": answer} if answer else {}) as site:
        assert said in refusal(site, f"/{name}", max_megabytes=0.1, max_redirects=2)


@pytest.mark.parametrize("answer", [Answer(b"<p>slow" * 90, drip_s=0.05)])
def test_a_slow_drip_ends_in_time(answer: Answer) -> None:
    with Site({"/": answer}) as site:
        assert "not there in time; expected all of it within 0.4 s" in refusal(site, timeout_s=0.4)


def test_a_server_that_is_not_there() -> None:
    with Site({}) as site:
        gone = site.base_url
    with pytest.raises(InputError, match="cannot be reached"):
        fetcher().page(gone)


def test_private_addresses_are_not_even_connected_to() -> None:
    with Site({"/": PAGE}) as site:
        assert "lies at an address that is not public" in refusal(site, allow_private=False)
        assert site.asked == []


def named(monkeypatch: pytest.MonkeyPatch, names: dict[str, list[str]]) -> None:
    """Resolve names as told, one answer after the other, the last one for ever."""

    def resolve(host: Any, port: Any, *args: Any, **options: Any) -> Any:
        if host in names:
            answers = names[host]
            host = answers.pop(0) if len(answers) > 1 else answers[0]
        return REAL(host, port, *args, **options)

    monkeypatch.setattr("socket.getaddrinfo", resolve)


def test_redirects_are_checked_like_first_addresses(monkeypatch: pytest.MonkeyPatch) -> None:
    """The first host passes as public; where it points to is judged anew."""
    real = "modules.retrieval.web.guard.public"
    monkeypatch.setattr(real, lambda address: str(address) == "127.0.0.1")
    pages = {
        "/meta": redirect("http://169.254.169.254/latest/meta-data/"),
        "/inside": redirect("http://[::1]:1/"),
        "/odd": redirect("http://2852039166/"),  # 169.254.169.254 as one number
    }
    with Site(pages) as site:
        for path in pages:
            said = refusal(site, path, allow_private=False)
            assert "lies at an address that is not public" in said


def test_a_name_that_changes_its_address_gains_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    """DNS rebinding: public when checked, loopback when asked again."""
    names = {"rebind.example": ["192.0.2.1", "127.0.0.1"]}
    named(monkeypatch, names)
    monkeypatch.setattr(
        "modules.retrieval.web.guard.public", lambda address: str(address) == "192.0.2.1"
    )
    with Site({"/": PAGE}) as site:
        url = f"http://rebind.example:{site.port}/"
        with pytest.raises(InputError):
            fetcher(allow_private=False, timeout_s=0.5).page(url)
        assert site.asked == []
        assert names == {"rebind.example": ["127.0.0.1"]}  # it was resolved once


def test_the_pinned_connection_keeps_the_name(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """Host, SNI and certificate are the name's, though the connection goes to a number."""
    named(monkeypatch, {"museum.example": ["127.0.0.1"], "other.example": ["127.0.0.1"]})
    asked: list[str | None] = []
    tls = _certified(tmp_path, "museum.example")
    tls.sni_callback = lambda _, name, __: asked.append(name)
    monkeypatch.setenv("SSL_CERT_FILE", str(tmp_path / "cert.pem"))
    _tls.cache_clear()
    with Site({"/": PAGE}, tls=tls) as site:
        fetcher().page(f"https://museum.example:{site.port}/")
        assert site.asked[0].headers["host"] == f"museum.example:{site.port}"
        assert set(asked) == {"museum.example"}
        with pytest.raises(InputError, match="certificate"):
            fetcher().page(f"https://other.example:{site.port}/")
    _tls.cache_clear()


def _certified(folder: Path, name: str) -> ssl.SSLContext:
    from cryptography import x509
    from cryptography.hazmat.primitives import hashes, serialization
    from cryptography.hazmat.primitives.asymmetric import ec

    key = ec.generate_private_key(ec.SECP256R1())
    subject = x509.Name([x509.NameAttribute(x509.NameOID.COMMON_NAME, name)])
    now = datetime.datetime.now(datetime.UTC)
    names = [x509.DNSName(name), x509.IPAddress(ipaddress.ip_address("192.0.2.7"))]
    made = (
        x509.CertificateBuilder()
        .subject_name(subject)
        .issuer_name(subject)
        .public_key(key.public_key())
        .serial_number(1)
        .not_valid_before(now - datetime.timedelta(days=1))
        .not_valid_after(now + datetime.timedelta(days=1))
        .add_extension(x509.SubjectAlternativeName(names), critical=False)
        .add_extension(x509.BasicConstraints(ca=True, path_length=0), critical=True)
        .sign(key, hashes.SHA256())
    )
    pem = serialization.Encoding.PEM
    (folder / "cert.pem").write_bytes(made.public_bytes(pem))
    private = key.private_bytes(
        pem, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
    )
    (folder / "key.pem").write_bytes(private)
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(folder / "cert.pem", folder / "key.pem")
    return context


# --- robots.txt and turns -------------------------------------------------------------------------


def rules(text: str) -> Answer:
    return Answer(text.encode(), type="text/plain")


def test_robots_txt_is_obeyed_and_read_once() -> None:
    text = "User-agent: *\nDisallow: /private/\nDisallow: /*?print=\nAllow: /private/open\n"
    pages = {"/robots.txt": rules(text), "/a": PAGE, "/private/x": PAGE, "/private/open": PAGE}
    with Site(pages) as site:
        mine = fetcher()
        for closed in ("/private/x", "/a?print=1"):
            with pytest.raises(InputError, match=r"closed to us by its host's robots\.txt"):
                mine.page(site.base_url + closed)
        mine.page(site.base_url + "/a")
        mine.page(site.base_url + "/private/open")
        assert site.paths == ["/robots.txt", "/a", "/private/open"]


def test_robots_txt_by_our_own_name() -> None:
    text = "User-agent: *\nDisallow: /\n\nUser-agent: moot\nAllow: /\n"
    with Site({"/robots.txt": rules(text), "/": PAGE}) as site:
        fetcher().page(site.base_url + "/")
        assert "closed to us" in refusal(site, "/", user_agent="other/1.0")


def test_robots_txt_that_cannot_be_read_closes_the_host() -> None:
    with Site({"/robots.txt": Answer(b"", 500), "/": PAGE}) as site:
        assert "robots.txt that cannot be read; got HTTP status 500" in refusal(site)
        assert site.paths == ["/robots.txt"]


def test_a_redirect_to_a_closed_page_is_refused() -> None:
    closed = {"/robots.txt": rules("User-agent: *\nDisallow: /b"), "/b": PAGE}
    with Site(closed) as other, Site({"/a": redirect(other.base_url + "/b")}) as site:
        assert "closed to us" in refusal(site, "/a")
        assert other.paths == ["/robots.txt"]


def test_a_redirect_off_the_trusted_domains_is_refused() -> None:
    with Site({"/a": redirect("http://localhost:1/")}) as site:
        settings = FetchSettings(allow_private=True, delay_s=0)
        mine = Fetcher(settings, trusts=lambda host: host == "127.0.0.1")
        with pytest.raises(InputError, match="lies on localhost, which is no trusted domain"):
            mine.page(site.base_url + "/a")


def test_a_host_is_asked_with_pauses() -> None:
    pages = {"/robots.txt": rules("User-agent: *\nCrawl-delay: 0.3"), "/a": PAGE, "/b": PAGE}
    with Site(pages) as site:
        mine = fetcher()
        mine.page(site.base_url + "/a")
        mine.page(site.base_url + "/b")
        first, second = (asked.at for asked in site.asked[1:])
        assert second - first >= 0.3


def test_a_host_that_wants_a_very_long_pause_is_left_alone() -> None:
    pages = {"/robots.txt": rules("User-agent: *\nCrawl-delay: 999"), "/a": PAGE, "/b": PAGE}
    with Site(pages) as site:
        mine = fetcher()
        mine.page(site.base_url + "/a")
        with pytest.raises(InputError, match="asks for a long wait"):
            mine.page(site.base_url + "/b")
