"""The page of answers: a question, a method, where evidence comes from; the answer when done."""

from __future__ import annotations

from pathlib import Path

import streamlit as st

from app import debate, documents, essay, frame, jobs, session
from flows.compose import options
from flows.environment import artifacts
from signatures.errors import MootError

RETRIEVAL = {
    "vanilla": "the best passages for the question",
    "react": "an agent searches until it has enough",
    "none": "the model alone, without evidence",
}


def show() -> None:
    """The form, or the run that ``?run=`` names."""
    name = st.query_params.get("run")
    if not name:
        _ask()
        return
    folder = artifacts() / "runs" / "answer" / Path(name).name
    live = jobs.running(folder)
    st.fragment(essay.written, run_every=essay.PERIOD_S if live else None)(folder, live, "answer")
    if st.button("New question", icon=":material/help:"):
        st.query_params.clear()
        st.rerun()


def _ask() -> None:
    st.title("Answer", anchor=False)
    st.write("One answer with its sources, which says where people disagree and why.")
    question = st.selectbox(
        "Question",
        [s for s in debate.SUGGESTIONS if s.endswith("?")],
        index=None,
        accept_new_options=True,
        placeholder="Choose a question, or type your own and press Enter",
    )
    methods = options("method", "modules.answering")
    method = st.selectbox(
        "Method", list(methods), list(methods).index("perspectives"),
        format_func=lambda m: f"{m}: {methods[m]}" if methods[m] else m,
    )  # fmt: skip
    retrieval = st.radio("Evidence", list(RETRIEVAL), format_func=lambda r: f"{r}: {RETRIEVAL[r]}")
    own = documents.ask()
    with st.expander("Backend"):
        chosen = frame.backend()
    if st.button("Answer", type="primary", disabled=not question, icon=":material/help:"):
        overrides = {**chosen, "method": method, "method.retrieval": retrieval}
        try:
            folder = session.begin("answer", str(question), overrides, own)
        except MootError as error:
            frame.fault(error)
            return
        documents.given()
        st.query_params["run"] = folder.name
        st.rerun()


__all__ = ["show"]
