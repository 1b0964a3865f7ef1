"""The starter corpus is what its manifest says, and takes no side by label."""

from __future__ import annotations

import hashlib
import json
import re
from collections import Counter

from tests.support import ROOT

CORPUS = ROOT / "data" / "corpus"
MANIFEST = json.loads((CORPUS / "manifest.json").read_text(encoding="utf-8"))
DOCUMENTS = MANIFEST["documents"]


def test_every_file_is_listed_with_its_hash() -> None:
    for row in DOCUMENTS:
        digest = hashlib.sha256((CORPUS / row["source"]).read_bytes()).hexdigest()
        assert digest == row["sha256"], row["source"]
    found = {p.relative_to(CORPUS).as_posix() for p in CORPUS.glob("*/*")}
    assert found == {row["source"] for row in DOCUMENTS}


def test_every_topic_has_enough_in_every_format() -> None:
    topics = Counter(row["topic"] for row in DOCUMENTS)
    assert len(topics) >= 5
    assert min(topics.values()) >= 8
    for topic in topics:
        kinds = {row["source"].rsplit(".")[-1] for row in DOCUMENTS if row["topic"] == topic}
        assert kinds == {"docx", "html", "md", "pdf", "txt"}


def test_nothing_names_a_side() -> None:
    label = re.compile(r"\b(pro|con|against|stance|opponent|supporter)s?\b", re.IGNORECASE)
    for row in DOCUMENTS:
        assert set(row) == {"source", "title", "topic", "licence", "sha256"}
        assert not label.search(f"{row['source']} {row['title']}"), row


def test_it_is_in_the_public_domain() -> None:
    assert {row["licence"] for row in DOCUMENTS} == {"CC0-1.0"}
    assert "CC0" in (CORPUS / "LICENSE").read_text(encoding="utf-8")
