"""modules.text."""

from modules.text import clip_words, normalise, sentences, tokens, words


def test_sentences_keep_abbreviations_and_order() -> None:
    text = 'Dr. Smith said "It costs $3.5 million." But the U.S. Senate, e.g. Mr. Lee, disagreed.'
    assert sentences(text) == [
        'Dr. Smith said "It costs $3.5 million."',
        "But the U.S. Senate, e.g. Mr. Lee, disagreed.",
    ]


def test_a_blank_line_ends_a_sentence() -> None:
    assert sentences("one item\n\nanother\nitem\n\n\n") == ["one item", "another item"]


def test_sentences_of_other_languages() -> None:
    assert sentences("これは文です。次の文。", "ja") == ["これは文です。", "次の文。"]
    assert sentences("Hello there. You.", "xx") == ["Hello there.", "You."]
    assert sentences("  \n ") == []


def test_normalise_removes_what_hides() -> None:
    assert normalise("a\u200bb\u202ec \u00a0 d\x00\ud800") == "abc d"
    assert normalise("e\u0301\r\n\tx\u2028y") == "\u00e9 x y"


def test_words_are_content_words() -> None:
    assert words("The museums aren’t free, and 3 fees co-exist.") == [
        "museums",
        "free",
        "3",
        "fees",
        "co-exist",
    ]
    assert tokens("They aren’t") == ["they", "aren't"]


def test_clip_words_prefers_whole_sentences() -> None:
    text = "One two three. Four five six. Seven."
    assert clip_words(text, 10) == text
    assert clip_words(text, 6) == "One two three. Four five six."
    assert clip_words(text, 5) == "One two three."
    assert clip_words(text, 2) == "One two…"
