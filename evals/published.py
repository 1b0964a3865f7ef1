"""Datasets that others have published: fetched once by name, checked whenever they are read."""

from __future__ import annotations

import hashlib
import re
import tempfile
from pathlib import Path

import httpx
from pydantic import BaseModel, ConfigDict, Field, field_validator

from signatures.errors import InputError

TIMEOUT_S = 60.0


class Published(BaseModel):
    """A file at a public place, at one revision.

    What was fetched is kept in ``cache`` beside its SHA-256. Every later use compares the two, so
    that a changed or damaged file is noticed. With ``sha256`` given, the first use does so too.

    Args:
        repo: The repository, ``owner/name``.
        revision: A commit or tag.
        file: The path inside the repository.
        url: Where files are served; ``{repo}``, ``{revision}`` and ``{file}`` are filled in.
        sha256: What the file must hash to, in hexadecimal; None takes the first fetched.
        cache: Folder that keeps it.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    repo: str = Field(pattern=r"^[\w.-]+/[\w.-]+$")
    revision: str = Field(pattern=r"^[\w.-]+$")
    file: str = Field(pattern=r"^\w[\w-]*(?:[./][\w-]+)*$")
    url: str = "https://raw.githubusercontent.com/{repo}/{revision}/{file}"
    sha256: str | None = None
    cache: Path

    @field_validator("sha256")
    @classmethod
    def _hexadecimal(cls, value: str | None) -> str | None:
        if value is not None and not re.fullmatch(r"[0-9a-f]{64}", value):
            raise ValueError("give 64 hexadecimal digits in lower case")
        return value

    def file_path(self) -> Path:
        """Where it is kept."""
        return self.cache / self.repo / self.revision / self.file

    def path(self) -> Path:
        """The file, fetched if it is not there yet, and checked.

        Raises:
            InputError: It cannot be reached, or it is not what it was or should be.
        """
        kept = self.file_path()
        noted = kept.with_name(kept.name + ".sha256")
        if not kept.exists() or not noted.exists():
            self._keep(kept, noted)
        found = hashlib.sha256(kept.read_bytes()).hexdigest()
        for wanted in (self.sha256, noted.read_text(encoding="ascii").strip()):
            if wanted is not None and found != wanted:
                raise self._changed(kept, wanted, found)
        return kept

    def _keep(self, kept: Path, noted: Path) -> None:
        content = self._fetched()
        digest = hashlib.sha256(content).hexdigest()
        if self.sha256 is not None and digest != self.sha256:
            raise self._changed(kept, self.sha256, digest)
        kept.parent.mkdir(parents=True, exist_ok=True)
        _write(kept, content)
        _write(noted, digest.encode())

    def _fetched(self) -> bytes:
        address = self.url.format(repo=self.repo, revision=self.revision, file=self.file)
        try:
            reply = httpx.get(address, timeout=TIMEOUT_S, follow_redirects=True)
            reply.raise_for_status()
        except httpx.HTTPError as error:
            raise InputError(
                f"the dataset {self.repo} cannot be fetched from {address}",
                got=f"{type(error).__name__}: {error}"[:200],
                remedy="without a network, give a copy of the file: dataset.path=FILE",
            ) from error
        return reply.content

    def _changed(self, kept: Path, wanted: str, found: str) -> InputError:
        return InputError(
            f"the dataset {kept} is not the file that is wanted",
            expected=f"sha256 {wanted}",
            got=found,
            remedy="remove it to fetch it anew, or set dataset.published.sha256",
        )


def _write(path: Path, content: bytes) -> None:
    """Whole or not at all."""
    with tempfile.NamedTemporaryFile(dir=path.parent, delete=False) as half:
        half.write(content)
    Path(half.name).replace(path)


__all__ = ["Published"]
