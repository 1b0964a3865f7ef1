"""Results for people: what a flow prints unless JSON was asked for."""

from __future__ import annotations

from typing import Any

from evals.meta.text import markdown
from flows.answer_files import about, answer_text
from flows.curate_files import told as curate_lines
from flows.debate_text import debate_text
from flows.essay_files import essay_text
from flows.evaluation_files import plan_text, table_text
from flows.moderation_report import annotate_lines, discuss_lines
from flows.optimize_text import optimize_lines
from flows.retrieval_text import retrieval_lines
from flows.score_text import score_text
from modules.markup import one_line, visible
from signatures.meta_results import MetaResult
from signatures.moderation_results import AnnotateResult, DiscussResult
from signatures.optimize_results import OptimizeResult
from signatures.results import (
    AnswerResult,
    CurateResult,
    DebateResult,
    EssayResult,
    EvaluationPlan,
    EvaluationResult,
    IngestResult,
    ScoreResult,
)
from signatures.retrieval_results import RetrievalResult
from signatures.types import Persona, Usage


def readable(flow: str, document: dict[str, Any]) -> str:
    """A flow's JSON document as text."""
    if flow == "essay":
        return _essay(EssayResult.model_validate(document))
    if flow == "answer":
        return _answer(AnswerResult.model_validate(document))
    if flow == "curate":
        return _curate(CurateResult.model_validate(document))
    if flow == "debate":
        return _debate(DebateResult.model_validate(document))
    if flow == "meta":
        return _meta(MetaResult.model_validate(document))
    if flow == "retrieval":
        return _retrieval(RetrievalResult.model_validate(document))
    if flow == "score":
        return _score(ScoreResult.model_validate(document))
    if flow == "evaluation":
        return _evaluation(document)
    if flow == "optimize":
        return _optimize(OptimizeResult.model_validate(document))
    if flow == "discuss":
        held = DiscussResult.model_validate(document)
        return _moderation(held, discuss_lines(held))
    if flow == "annotate":
        rated = AnnotateResult.model_validate(document)
        return _moderation(rated, annotate_lines(rated))
    return _ingest(IngestResult.model_validate(document))


def _optimize(result: OptimizeResult) -> str:
    lines = [
        *optimize_lines(result),
        f"usage: {_usage(result.usage)}; {result.seconds:.1f} s",
        *(f"note: {one_line(note)}" for note in result.notes),
        f"run: {visible(result.run.dir)} (report.md shows the prompts before and after)",
    ]
    return "\n".join(lines)


def _moderation(result: DiscussResult | AnnotateResult, said: list[str]) -> str:
    plots = sum(file.endswith(".png") for file in result.files)
    lines = [
        *map(visible, said),
        f"usage: {_usage(result.usage)}; {result.seconds:.1f} s",
        *(f"note: {one_line(note)}" for note in result.notes),
        f"run: {visible(result.run.dir)} (report.md, transcripts.md, datasets/, {plots} plots)",
    ]
    return "\n".join(lines)


def _answer(result: AnswerResult) -> str:
    figures = result.citation_figures
    lines = [
        answer_text(result, visible),
        *about(result),
        f"citations: {len(result.citations)}, precision {_share(figures.precision)}, "
        f"recall {_share(figures.recall)}, balance {_share(figures.evidence_balance)}",
        f"usage: {_usage(result.usage)}; {result.seconds:.1f} s",
        *(f"note: {one_line(note)}" for note in result.notes),
        f"run: {visible(result.run.dir)}",
    ]
    return "\n".join(lines)


def _curate(result: CurateResult) -> str:
    lines = [
        *map(visible, curate_lines(result)),
        *(
            f"left out ({one.kind}): {one_line(one.question)}: {one_line(one.reason)}"
            for one in result.left_out
        ),
        f"usage: {_usage(result.usage, 'questions')}; {result.seconds:.1f} s",
        *(f"note: {one_line(note)}" for note in result.notes),
        f"run: {visible(result.run.dir)} (dataset.jsonl, documents.jsonl, sheets/, plots/)",
    ]
    return "\n".join(lines)


def _debate(result: DebateResult) -> str:
    figures, words = result.citation_figures, result.balance.words
    cited = sum(len(t.citations) for r in result.rounds for t in r)
    lines = [
        debate_text(result, visible),
        f"words: {words['for']} for, {words['against']} against, {words['neutral']} neutral; "
        f"at most {result.word_limit} a turn",
        f"citations: {cited}, precision {_share(figures.precision)}, "
        f"recall {_share(figures.recall)}, balance {_share(figures.evidence_balance)}",
        f"usage: {_usage(result.usage)}; {result.seconds:.1f} s",
        *(f"note: {one_line(note)}" for note in result.notes),
        f"run: {visible(result.run.dir)} (debate.html is the debate as one page)",
    ]
    return "\n".join(lines)


def _essay(result: EssayResult) -> str:
    figures = result.citation_figures
    lines = [
        essay_text(result, visible),
        *_debaters(result),
        f"citations: {len(result.citations)}, precision {_share(figures.precision)}, "
        f"recall {_share(figures.recall)}, balance {_share(figures.evidence_balance)}",
        f"usage: {_usage(result.usage)}; {result.seconds:.1f} s",
        *(f"note: {one_line(note)}" for note in result.notes),
        f"run: {visible(result.run.dir)}",
    ]
    return "\n".join(lines)


def _debaters(result: EssayResult) -> list[str]:
    """Who argued and how the debate went, as far as the method has either."""
    lines = []
    if result.personas:
        team = ", ".join(_persona(p) for p in result.personas if p.selected)
        lines.append(f"team: {team} ({len(result.personas)} personas in the pool)")
    if result.debate:
        found = result.debate_figures
        lines.append(
            f"debate: {len(result.debate)} turns, ended {result.debate_ended.replace('_', ' ')}, "
            f"novelty {_share(found.novelty)}, drift {_share(found.drift)}, "
            f"agreement {_share(found.agreement)}"
        )
    return lines


def _ingest(result: IngestResult) -> str:
    lines = [
        f"{t.chunks:>4} chunks  {one_line(t.source)}  {one_line(t.title)}" for t in result.taken
    ]
    lines += [f"refused      {one_line(r.source)}: {one_line(r.reason)}" for r in result.refused]
    lines += [
        f"duplicate    {one_line(d.source)}: same as {one_line(d.same_as)}"
        for d in result.duplicates
    ]
    lines.append(
        f"{len(result.taken)} documents taken, {len(result.refused)} refused, "
        f"{len(result.duplicates)} duplicates; the index holds {result.chunks} chunks "
        f"as {result.corpus_version}; {result.seconds:.1f} s"
    )
    return "\n".join(lines)


def _score(result: ScoreResult) -> str:
    lines = [
        *score_text(result),
        "",
        f"usage: {_usage(result.usage)}; {result.seconds:.1f} s",
        *(f"note: {one_line(note)}" for note in result.notes),
        f"run: {visible(result.run.dir)}",
    ]
    return "\n".join(lines)


def _meta(result: MetaResult) -> str:
    plots = sum(file.endswith(".png") for file in result.files)
    lines = [
        visible(markdown(result, pictures=False)),
        f"usage: {_usage(result.usage, 'units')}; {result.seconds:.1f} s",
        f"run: {visible(result.run.dir)} (report.md, scores.jsonl, result.json, {plots} plots)",
    ]
    return "\n".join(lines)


def _retrieval(result: RetrievalResult) -> str:
    plots = sum(file.endswith(".png") for file in result.files)
    lines = [
        *map(visible, retrieval_lines(result)),
        "",
        *(f"note: {one_line(note)}" for note in result.notes),
        f"{result.seconds:.1f} s",
        f"run: {visible(result.run.dir)} (tables.md, result.json, {plots} plots)",
    ]
    return "\n".join(lines)


def _evaluation(document: dict[str, Any]) -> str:
    if "cells" in document:
        return plan_text(EvaluationPlan.model_validate(document))
    result = EvaluationResult.model_validate(document)
    lines = [
        visible(table_text(result, brief=True)),
        f"usage: {_usage(result.usage, 'units')}; {result.seconds:.1f} s",
        f"run: {visible(result.run.dir)} (table.md has every difference)",
        f"report: {visible(result.run.dir)}/report.html",
    ]
    return "\n".join(lines)


def _persona(persona: Persona) -> str:
    return f"{one_line(persona.emoji, joiners=True)} {one_line(persona.title)}"


def _usage(usage: Usage, units: str = "stages") -> str:
    money = "unpriced" if usage.usd is None else f"${usage.usd:.4f}"
    return (
        f"{usage.calls} calls, {usage.cached_calls} from the cache, "
        f"{usage.units_reused} {units} reused, {usage.failed_attempts} failed attempts, "
        f"{usage.input_tokens} + {usage.output_tokens} tokens, {money}"
    )


def _share(value: float | None) -> str:
    return "undefined" if value is None else f"{value:.2f}"
