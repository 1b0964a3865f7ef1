"""Trusted domains end at labels."""

import pytest
from pydantic import ValidationError

from modules.retrieval.web.trust import Trust


@pytest.mark.parametrize(
    "host", ["nih.gov", "www.nih.gov", "mit.edu", "a.b.org", "x.pro", "y.info"]
)
def test_the_paper_s_domains_are_trusted(host: str) -> None:
    assert Trust().trusts(host)


@pytest.mark.parametrize(
    "host",
    ["evil-gov.com", "gov.evil.com", "evilgov", "org.example.com", "example.com", "x.gov.uk"],
)
def test_look_alikes_are_not(host: str) -> None:
    assert not Trust().trusts(host)


def test_lists_of_one_s_own() -> None:
    trust = Trust(allow=(".gov.uk", "Example.com", "bücher.example"), deny=("ads.example.com",))
    assert trust.trusts("www.gov.uk")
    assert trust.trusts("example.com")
    assert trust.trusts("news.example.com")
    assert trust.trusts("xn--bcher-kva.example")
    assert not trust.trusts("notexample.com")
    assert not trust.trusts("x.ads.example.com")
    assert Trust(allow=()).trusts("anything.biz")
    assert not Trust(allow=(), deny=("biz",)).trusts("anything.biz")


@pytest.mark.parametrize("entry", ["", " ", "https://example.com", "*.org", "a b"])
def test_what_is_no_domain_is_refused(entry: str) -> None:
    with pytest.raises(ValidationError, match="is no domain"):
        Trust(allow=(entry,))
