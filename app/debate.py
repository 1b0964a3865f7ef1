"""The debate's page: a topic, the seats, the rounds as they happen, what comes of them."""

from __future__ import annotations

from pathlib import Path

import streamlit as st

from app import documents, frame, jobs, seats, session, table
from flows.debate_events import scene
from signatures.errors import MootError

SUGGESTIONS = (
    "We should make all museums free of charge",
    "Should animals be used for scientific or commercial testing?",
    "Should humans colonize space?",
    "Is vaping with e-cigarettes safe?",
    "Should the minimum wage be increased?",
    "Should there be an age limit for political office?",
    "Should the working week have four days?",
    "Should schools require uniforms?",
    "Should children under sixteen be kept off social media?",
    "Should we vote electronically?",
    "Do we need nuclear power?",
    "Should there be a universal basic income?",
)

SOURCES = {"corpus": "the ingested documents", "none": "none: nothing is cited"}
MODES = {
    "continuous": "Every turn answers all turns before it",
    "round_synchronous": "All speak at once, on the rounds before (faster)",
}


def show() -> None:
    """The page."""
    name = st.query_params.get("run")
    if not name:
        _ask()
        return
    try:
        folder = session.find(name)
    except MootError as error:
        if not _just_begun(name):
            frame.fault(error)
            if st.button("Start a new debate"):
                st.query_params.clear()
                st.rerun()
            return
        folder = Path(st.session_state["begun"])
    _debate(folder)


def _just_begun(name: str) -> bool:
    """Whether this session has just begun the run, whose folder is not there yet."""
    begun = st.session_state.get("begun")
    return begun is not None and Path(begun).name == name and jobs.running(Path(begun))


def _ask() -> None:
    st.title("What would you like to learn about?", anchor=False)
    st.write(
        "Personas with different stakes debate a contested topic, each turn with its sources. "
        "You choose who sits at the table; nobody tells you who is right."
    )
    topic = st.selectbox(
        "Topic",
        SUGGESTIONS,
        index=None,
        accept_new_options=True,
        placeholder="Choose a topic, or type your own and press Enter",
        label_visibility="collapsed",
    )
    own = documents.ask()
    with st.expander("Settings"):
        overrides = _settings(own is not None)
    if st.button("Set the table", type="primary", disabled=not topic, icon=":material/groups:"):
        try:
            folder = session.begin_debate(str(topic), overrides, own)
        except MootError as error:
            frame.fault(error)
            return
        documents.given()
        st.session_state["begun"] = str(folder)
        st.query_params["run"] = folder.name
        st.rerun()


def _settings(own: bool) -> dict[str, object]:
    left, right = st.columns(2)
    with left:
        chosen = frame.backend()
        seed = st.number_input("Seed", 0, 2**31 - 1, 0, help="Equal seeds give equal debates.")
        source = st.selectbox(
            "Evidence",
            list(SOURCES),
            format_func=lambda name: SOURCES[name],
            disabled=own,
        )
    with right:
        mode = st.radio(
            "Who hears whom",
            list(MODES),
            format_func=lambda name: MODES[name],
        )
        count = st.slider("Personas", 2, 8, 5)
        words = st.slider("Words per turn, the same for all", 50, 500, 150, step=10)
        moderator = st.checkbox("A moderator sums up each round, neutrally")
        closing = st.checkbox("A closing says where the table agrees and where not", value=True)
        advice = st.checkbox(
            "Ask for a recommendation", help="Labelled as a model's opinion; the debate has none."
        )
    return {
        **chosen,
        "seed": int(seed),
        "evidence": "corpus" if own else source,
        "debate.mode": mode,
        "debate.personas": count,
        "debate.turn_words": words,
        "debate.moderator": moderator,
        "debate.closing": closing,
        "debate.recommendation": advice,
    }


def _debate(folder: Path) -> None:
    now = scene(folder)
    st.header(frame.plain(now.topic or "A new debate"), anchor=False)
    with st.sidebar:
        seats.show(folder, now)
    table.show(folder)


__all__ = ["show"]
