"""A cited passage in the document it is from."""

from __future__ import annotations

import streamlit as st

from app import frame, session
from flows import debate_html as html
from flows.sources import document
from signatures.errors import MootError


def show() -> None:
    """The page: all passages of the document, the cited one marked."""
    chunk = st.query_params.get("chunk", "")
    name = st.query_params.get("run")
    try:
        passages = document(chunk, session.find(name) if name else None)
    except MootError as error:
        frame.fault(error)
        return
    if not passages:
        st.header("Source", anchor=False)
        st.warning("The index holds no such passage.", icon=":material/search_off:")
        return
    first = passages[0]
    st.header(frame.plain(first.title or first.source), anchor=False)
    st.caption(frame.plain(first.source))
    address = html.link(first.url) or html.link(first.source)
    if address is not None:
        st.link_button(f"Open at {html.domain(address)}", address, icon=":material/open_in_new:")
    for passage in passages:
        cited = passage.id == chunk
        label = '<p class="small"><b>The cited passage</b></p>' if cited else ""
        shade = html.COLOURS[1] if cited else "transparent"
        frame.html(
            f'<article style="--shade:{shade}">{label}<p>{html.text(passage.text)}</p></article>'
        )


__all__ = ["show"]
