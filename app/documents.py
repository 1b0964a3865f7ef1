"""Documents of the reader's own, for the run that is about to begin."""

from __future__ import annotations

import hashlib
from typing import NamedTuple

import streamlit as st

from app import frame
from flows import uploads
from flows.uploads import Documents, Upload
from signatures.errors import MootError

_KEPT = "documents"


class Own(NamedTuple):
    """Documents to draw on, with those already ingested or ``alone``."""

    documents: Documents
    alone: bool


def ask() -> Own | None:
    """The form's part for them; None where there are none that can be drawn on."""
    with st.expander("Documents of your own"):
        files = st.file_uploader(
            "Add documents",
            type=list(uploads.ENDINGS),
            accept_multiple_files=True,
            max_upload_size=uploads.MEGABYTES,
            help=f"At most {uploads.FILES} files, {uploads.TOGETHER_MEGABYTES} MB together. They "
            "are read for this run alone, and quoted like any other source.",
        )
        sent = [Upload(file.name, file.getvalue()) for file in files]
        try:
            found = _taken(sent)
        except MootError as error:
            frame.fault(error)
            return None
        if found is None:
            return None
        _report(found)
        if not found.taken:
            return None
        return Own(found, st.checkbox("Draw on these alone, not on the ingested documents"))


def _taken(sent: list[Upload]) -> Documents | None:
    """What became of the files; they are read when they change, and dropped when they go."""
    digest = hashlib.sha256()
    for name, raw in sent:
        digest.update(hashlib.sha256(name.encode("utf-8", "replace")).digest())
        digest.update(hashlib.sha256(raw).digest())
    name = digest.hexdigest()
    kept: tuple[str, Documents] | None = st.session_state.get(_KEPT)
    if kept is not None and kept[0] == name and sent:
        return kept[1]
    if kept is not None:
        uploads.drop(kept[1])
        given()
    if not sent:
        return None
    with st.spinner("Reading the documents …"):
        found = uploads.take_in(sent)
    st.session_state[_KEPT] = (name, found)
    return found


def given() -> None:
    """A run has taken them: they are no longer this session's."""
    st.session_state.pop(_KEPT, None)


def _report(found: Documents) -> None:
    taken, refused, duplicates = found.absorbed
    if taken:
        st.success(
            frame.plain(f"Read: {', '.join(t.source for t in taken)}"), icon=":material/check:"
        )
    for twin in duplicates:
        st.info(frame.plain(f"{twin.source} says the same as {twin.same_as}"))
    for file in refused:
        st.error(frame.plain(f"{file.source} {file.reason}"), icon=":material/block:")


__all__ = ["Own", "ask", "given"]
