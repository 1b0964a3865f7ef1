"""Fixtures for retrieval: the real embedder, an empty store, a folder of documents."""

from collections.abc import Callable
from pathlib import Path

import pytest

from modules.retrieval import EvidenceStore, MiniLM

ARTICLES = {
    "museums.md": """# Free museums

Entry fees keep low-income families out of public museums. A free door brings in first-time
visitors, and school classes come more often [3].

## Costs

Someone has to pay. Without ticket income a museum depends on the state budget, and a budget can
be cut in any year. Free entry also crowds the galleries on weekends.
""",
    "voting.html": """<html lang="en"><head><title>Electronic voting | The Paper</title>
<script>track()</script></head><body><nav>Home News</nav><h1>Electronic voting</h1>
<p>Voting machines count quickly and make fewer arithmetic errors than people.</p>
<h2>Security</h2><p>Software can be tampered with, and a recount needs a paper trail.</p>
<footer>Copyright</footer></body></html>""",
    "animals.txt": """Animal testing

Animals feel pain and cannot consent to an experiment. Cell cultures replace some tests.

New medicines must be shown to be safe before people take them, and no culture is a body.
""",
}


@pytest.fixture(scope="session")
def embedder() -> MiniLM:
    """The default embedder; its weights load once for all tests."""
    return MiniLM()


@pytest.fixture
def store(tmp_path: Path, embedder: MiniLM) -> EvidenceStore:
    """An index that does not exist yet."""
    return EvidenceStore(tmp_path / "index", embedder)


@pytest.fixture
def corpus(tmp_path: Path) -> Path:
    """Three documents on three subjects."""
    return written(tmp_path / "corpus", ARTICLES)


@pytest.fixture
def write(tmp_path: Path) -> Callable[[dict[str, str]], Path]:
    """Write texts by name into a folder, and give the folder."""
    return lambda texts: written(tmp_path / "texts", texts)


def written(folder: Path, texts: dict[str, str]) -> Path:
    for name, text in texts.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, "utf-8")
    return folder
