"""The modules work from plain Python: no flow, no Hydra, no tracking."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

from tests.support import ROOT

CODE = """
import sys
from pathlib import Path
import dspy
from modules.essay import EssaySettings, PersonaDebateProgram
from modules.lm.backends import ExtractiveBackend
from modules.lm.ledger import Ledger
from modules.retrieval import EvidenceStore, MiniLM, ingest
from modules.retrieval.specs import StoreRetriever

embedder = MiniLM()
store = EvidenceStore(Path(sys.argv[1]) / "index", embedder)
ingest(["data/corpus/free-museums"], store)
program = PersonaDebateProgram(EssaySettings(), StoreRetriever(store, "hybrid"), embedder)
ledger = Ledger()
dspy.configure_cache(enable_disk_cache=False)
with dspy.context(lm=ExtractiveBackend().lm("writer", ledger)):
    parts = program(subject="We should make all museums free of charge", goal="refute")
print(len(parts.essay.citations), ledger.usage().calls)
print([name for name in ("prefect", "hydra", "mlflow", "conf", "flows") if name in sys.modules])
"""


def test_an_essay_without_flows(tmp_path: Path) -> None:
    command = [sys.executable, "-c", CODE, str(tmp_path)]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    counts, loaded = done.stdout.splitlines()[-2:]
    citations, calls = map(int, counts.split())
    assert citations >= 4
    assert calls == 12
    assert loaded == "[]"
