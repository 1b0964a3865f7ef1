"""The essay's page: a proposition, a side, a method; the essay when it is written."""

from __future__ import annotations

from pathlib import Path

import streamlit as st

from app import debate, documents, frame, history, jobs, session
from flows import run as runs
from flows.compose import options
from flows.environment import artifacts
from signatures.errors import MootError

PERIOD_S = 1.0


def show() -> None:
    """The form, or the run that ``?run=`` names."""
    name = st.query_params.get("run")
    if not name:
        _ask()
        return
    folder = artifacts() / "runs" / "essay" / Path(name).name
    live = jobs.running(folder)
    st.fragment(written, run_every=PERIOD_S if live else None)(folder, live, "essay")
    if st.button("New essay", icon=":material/article:"):
        st.query_params.clear()
        st.rerun()


def _ask() -> None:
    st.title("Essay", anchor=False)
    st.write("A cited essay that refutes or supports a proposition, planned in a debate.")
    proposition = st.selectbox(
        "Proposition",
        [s for s in debate.SUGGESTIONS if not s.endswith("?")],
        index=None,
        accept_new_options=True,
        placeholder="Choose a proposition, or type your own and press Enter",
    )
    stance = st.radio("The essay is to", ["refute", "support"], horizontal=True)
    methods = options("method", "modules.essay")
    method = st.selectbox(
        "Method", list(methods), list(methods).index("persona_debate"),
        format_func=lambda m: f"{m}: {methods[m]}" if methods[m] else m,
    )  # fmt: skip
    words = st.slider("Words", 100, 1500, 500, step=50)
    own = documents.ask()
    with st.expander("Backend"):
        chosen = frame.backend()
    if st.button("Write", type="primary", disabled=not proposition, icon=":material/edit:"):
        overrides = {**chosen, "method": method, "stance": stance, "essay.words": words}
        try:
            folder = session.begin("essay", str(proposition), overrides, own)
        except MootError as error:
            frame.fault(error)
            return
        documents.given()
        st.query_params["run"] = folder.name
        st.rerun()


def written(folder: Path, live: bool, what: str) -> None:
    """A run of ``what``: under way, at fault, interrupted, or as it reads when it is done."""
    busy = jobs.running(folder)
    if live and not busy:
        st.rerun()
    if busy:
        st.progress(0.5, text=f"The {what} is being written; you may come back later by this link.")
    elif (fault := jobs.error(folder)) is not None:
        frame.fault(fault)
    elif not (folder / runs.CONFIG_FILE).exists():
        st.info("There is no such run.")
    elif jobs.finished(folder):
        history.as_text(folder)
    else:
        st.warning(f"The {what} was interrupted; nothing is lost.", icon=":material/pause:")
        if st.button("Resume", type="primary", icon=":material/play_arrow:"):
            try:
                session.resume(folder)
            except MootError as error:
                frame.fault(error)
                return
            st.rerun()


__all__ = ["PERIOD_S", "show", "written"]
