"""``moot sheet`` and ``moot ranks``: from texts to sheets to standings."""

from __future__ import annotations

import csv
import json
from pathlib import Path

import pytest

from flows.cli import main


def test_from_texts_to_standings(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    rows = [
        {"input": f"P{n}", "method": method, "backend": "b", "outputs": [f"{method} on {n}", "x"]}
        for n in range(3)
        for method in ("e2e", "ours")
    ]
    source = tmp_path / "outputs.jsonl"
    source.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    folder = tmp_path / "sheets"
    assert main(["sheet", str(folder), str(source), "--judges", "2", "--items", "2"]) == 0
    assert sorted(p.name for p in folder.iterdir()) == ["judge-1.csv", "judge-2.csv"]
    assert "ours" not in "".join(p.name for p in folder.iterdir())
    key = tmp_path / "sheets.key.json"
    assert str(key) in capsys.readouterr().out
    for path in folder.iterdir():
        with path.open(encoding="utf-8-sig", newline="") as file:
            lines = list(csv.DictReader(file))
        for line in lines:
            better = line["text"].startswith("ours")
            line.update(persuasiveness="1" if better else "2", overall="1")
        with path.open("w", encoding="utf-8", newline="") as file:
            writer = csv.DictWriter(file, list(lines[0]))
            writer.writeheader()
            writer.writerows(lines)
    sheets = [str(path) for path in sorted(folder.iterdir())]
    assert main(["ranks", str(key), *sheets, "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert found["rule"] == "n - rank + 1"
    assert [(s["aspect"], s["system"], s["score"], s["first"]) for s in found["standings"]] == [
        ("persuasiveness", "ours on b", 2, 1), ("persuasiveness", "e2e on b", 1, 0),
        ("overall", "e2e on b", 2, 1), ("overall", "ours on b", 2, 1),
    ]  # fmt: skip
    assert main(["ranks", str(key), *sheets, "--rule", "text"]) == 0
    assert "score = n - rank;" in capsys.readouterr().out


def test_what_is_there_is_not_overwritten(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    source = tmp_path / "rows.jsonl"
    source.write_text('{"input": "P", "system": "a", "essay": "E"}\n', encoding="utf-8")
    (tmp_path / "sheets").mkdir()
    assert main(["sheet", str(tmp_path / "sheets"), str(source)]) == 2
    assert "is there already" in capsys.readouterr().err
    assert main(["sheet", str(tmp_path / "new"), str(source)]) == 2
    assert "nothing to rank" in capsys.readouterr().err
    assert main(["ranks", str(tmp_path / "no.json"), str(source)]) == 2
