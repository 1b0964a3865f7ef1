"""The page's frame: what is set up once, its look, and its parts. Run by ``moot app``."""

from __future__ import annotations

import streamlit as st

from app import answer, compare, debate, essay, frame, history, source


def main() -> None:
    """Show the part of the page that was asked for."""
    st.set_page_config(page_title="Moot", page_icon="⚖️", layout="wide")
    frame.ready()
    frame.style()
    pages = [
        st.Page(
            debate.show, title="Debate", icon=":material/forum:", url_path="debate", default=True
        ),
        st.Page(essay.show, title="Essay", icon=":material/article:", url_path="essay"),
        st.Page(answer.show, title="Answer", icon=":material/help:", url_path="answer"),
        st.Page(history.show, title="Runs", icon=":material/folder_open:", url_path="runs"),
        st.Page(compare.show, title="Compare", icon=":material/compare:", url_path="compare"),
        st.Page(
            source.show,
            title="Source",
            icon=":material/description:",
            url_path="source",
            visibility="hidden",
        ),
    ]
    st.navigation(pages, position="top").run()


main()
