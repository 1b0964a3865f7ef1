"""What language a document is in: declared first, then read off the text."""

from pathlib import Path

import pytest

from modules.retrieval import EvidenceStore, ingest
from modules.retrieval.language import declared, detected

TEXTS = {
    "en": "Entry fees keep low-income families out of public museums.",
    "de": "Eintrittsgelder halten Familien mit geringem Einkommen von Museen fern.",
    "fr": "Les droits d'entrée éloignent les familles modestes des musées publics.",
    "es": "Las entradas alejan a las familias con pocos ingresos de los museos públicos.",
    "pl": "Opłaty za wstęp trzymają rodziny o niskich dochodach z dala od muzeów.",
    "ru": "Плата за вход удерживает малообеспеченные семьи от посещения музеев.",
    "ar": "رسوم الدخول تبقي الأسر ذات الدخل المنخفض بعيدا عن المتاحف العامة كل عام.",
    "zh": "门票使低收入家庭无法进入公共博物馆。预算每年都可能被削减，没有人知道明年会怎样。",
    "ja": "入場料は低所得の家庭を公立博物館から遠ざけている。予算は毎年削減される。",
}


@pytest.mark.parametrize("language", TEXTS)
def test_languages_are_read_off_the_text(language: str) -> None:
    assert detected(TEXTS[language]) == language


@pytest.mark.parametrize(
    "text", ["", "12 34 56", "Berlin 2024", "Paris London Berlin Amsterdam Rome"]
)
def test_what_says_too_little_has_no_language(text: str) -> None:
    assert detected(text) == ""


@pytest.mark.parametrize(
    ("code", "language"),
    [("en", "en"), ("EN-gb", "en"), ("de_AT", "de"), ("zh-Hant", "zh"), ("fil", ""), ("x", ""),
     ("english", ""), ("", "")],
)  # fmt: skip
def test_declared_codes(code: str, language: str) -> None:
    assert declared(code) == language


def test_the_language_is_kept_and_can_be_asked_for(tmp_path: Path, store: EvidenceStore) -> None:
    for language in ("en", "de", "fr"):
        (tmp_path / f"{language}.txt").write_text(TEXTS[language], "utf-8")
    # A declaration goes before what the words say.
    said = "Ticket income pays for the guards, and nobody knows who else would."
    (tmp_path / "said.html").write_text(f'<html lang="it"><p>{said}</p>', "utf-8")
    ingest([tmp_path / f"{name}" for name in ("en.txt", "de.txt", "fr.txt", "said.html")], store)
    assert {row["source"]: row["lang"] for row in store.rows()} == {
        "en.txt": "en", "de.txt": "de", "fr.txt": "fr", "said.html": "it",
    }  # fmt: skip
    for language, source in (("de", "de.txt"), ("it", "said.html")):
        [found] = store.search(["museum fees"], 5, filters={"lang": language})
        assert [passage.source for passage in found] == [source]
