"""The debate in figures: balance, citations, cost; downloads, and the link."""

from __future__ import annotations

from pathlib import Path

import streamlit as st

from app import frame
from flows.debate_events import Scene
from flows.debate_files import latest
from flows.debate_html import SIGNS, page
from flows.debate_result import STANCES
from flows.debate_text import debate_text

ABOUT = {
    "precision": ("Citations supported", "the share of citations whose source bears out the words"),
    "recall": ("Sentences with a source", "the share of sentences with a supported citation"),
    "evidence_balance": (
        "Balance of sources",
        "1: both sides are quoted alike; 0: one side only",
    ),
}


def show(folder: Path, now: Scene) -> None:
    """Balance of stances and evidence, citations, cost."""
    result = latest(folder)
    if result is None:
        st.info("The figures come when the debate's rounds are done.")
        return
    figures, balance = result.citation_figures, result.balance
    rows = [
        {
            "stance": SIGNS[s],
            "personas": balance.personas[s],
            "turns": balance.turns[s],
            "words": balance.words[s],
        }
        for s in STANCES
    ]
    st.subheader("Balance of stances", anchor=False)
    st.table(rows)
    turns = [t for r in result.rounds for t in r]
    longest = max((t.words for t in turns), default=0)
    st.caption(f"At most {result.word_limit} words a turn; the longest has {longest}.")
    st.subheader("Evidence", anchor=False)
    for column, (field, (label, about)) in zip(st.columns(3), ABOUT.items(), strict=True):
        value = getattr(figures, field)
        column.metric(label, "undefined" if value is None else f"{value:.2f}", help=about)
    st.subheader("Cost", anchor=False)
    st.write(f"This round: {frame.plain(frame.spent(result.usage))}")
    st.write(f"The whole debate: {frame.plain(frame.spent(result.run.usage_total))}")
    models = ", ".join(sorted(set(result.run.models.values())))
    corpus = result.run.corpus_version or "none"
    st.caption(frame.plain(f"{models}; {result.seconds:.1f} s; corpus {corpus}"))
    for note in result.notes:
        st.caption(frame.plain(note))


def share(folder: Path) -> None:
    """Downloads, and the link that opens the run again."""
    result = latest(folder)
    if result is None:
        st.info("The files come when the debate's rounds are done.")
        return
    kinds = (
        ("HTML, to mail", "html", "text/html", page(result)),
        ("Markdown", "md", "text/markdown", debate_text(result)),
        ("JSON", "json", "application/json", result.model_dump_json(indent=2)),
    )
    with st.container(horizontal=True):
        for label, ending, mime, text in kinds:
            st.download_button(
                label,
                text,
                file_name=f"{folder.name}.{ending}",
                mime=mime,
                key=f"save-{folder.name}-{ending}",
                on_click="ignore",
                icon=":material/download:",
            )
    st.write("This link opens the debate again, for whoever reaches this server:")
    st.code(f"{(st.context.url or '').split('?')[0]}?run={folder.name}", language=None)


__all__ = ["share", "show"]
