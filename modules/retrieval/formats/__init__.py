"""Readers, one per file type: bytes in, :class:`~modules.retrieval.types.Parsed` out.

Each raises InputError when it cannot read the file. What a parser library raises besides is
turned into a refusal at the one boundary for it, in :mod:`modules.retrieval.ingestion`.
"""
