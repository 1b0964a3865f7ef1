"""Evidence: from files to ranked passages. Importing this is light; libraries load when used.

>>> from modules.retrieval import EvidenceStore, MiniLM, ingest
>>> store = EvidenceStore("artifacts/index", MiniLM())
>>> report = ingest(["data/corpus"], store)
>>> passages = store.search(["free admission raises attendance"], k=5)[0]
"""

from modules.retrieval.embed import Embedder, SentenceTransformerEmbedder
from modules.retrieval.ingestion import ingest
from modules.retrieval.minilm import MiniLM
from modules.retrieval.remote_embed import OpenAIEmbedder
from modules.retrieval.store import EvidenceStore

__all__ = [
    "Embedder",
    "EvidenceStore",
    "MiniLM",
    "OpenAIEmbedder",
    "SentenceTransformerEmbedder",
    "ingest",
]
