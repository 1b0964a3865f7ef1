"""Evidence from the web: search providers, guarded fetching, and a retriever over both.

A page's way: :mod:`.search` names it, :mod:`.trust` lets its host pass, :mod:`.robots` its path,
:mod:`.guard` the very address that is connected to, :mod:`.fetch` its size, time and type. Then
it is a document like any other.
"""
