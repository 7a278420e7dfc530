"""Web archives for tests, written by hand."""

from __future__ import annotations

import gzip
import zipfile
from datetime import UTC, datetime
from pathlib import Path

ENGLISH = "<p>The river is low at this time of the year and the boats stay in the harbour.</p>" * 4
THAI = "<p>วันนี้อากาศดีมากและท้องฟ้าแจ่มใส ตลาดริมน้ำเปิดทุกเช้าตั้งแต่หกโมง</p>" * 4


class ArchiveFile:
    """A WARC file that grows record by record, each a gzip member or plain."""

    def __init__(self, packed: bool = True) -> None:
        self._packed = packed
        self._parts: list[bytes] = []
        self.offsets: list[int] = []

    def answer(
        self,
        url: str,
        body: bytes | str = ENGLISH,
        status: str = "200 OK",
        kind: str = "text/html; charset=utf-8",
        **headers: str,
    ) -> ArchiveFile:
        """Add an HTTP answer as a server would send it."""
        fields = {"Content-Type": kind} if kind else {}
        fields |= {name.replace("_", "-"): value for name, value in headers.items()}
        lines = "".join(f"{name}: {value}\r\n" for name, value in fields.items())
        head = f"HTTP/1.1 {status}\r\n{lines}\r\n".encode()
        return self.record(url, "response", head + _bytes(body), "application/http")

    def record(
        self, url: str, kind: str, block: bytes | str = b"", content_type: str = "text/plain"
    ) -> ArchiveFile:
        """Add a record of any kind."""
        block = _bytes(block)
        number = len(self._parts)
        fields = {
            "WARC-Type": kind,
            "WARC-Record-ID": f"<urn:uuid:00000000-0000-4000-8000-{number:012}>",
            "WARC-Date": datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%SZ"),
            "Content-Type": content_type,
            "Content-Length": str(len(block)),
        }
        if url:
            fields["WARC-Target-URI"] = url
        lines = "".join(f"{name}: {value}\r\n" for name, value in fields.items())
        whole = f"WARC/1.0\r\n{lines}\r\n".encode() + block + b"\r\n\r\n"
        self.offsets.append(sum(map(len, self._parts)))
        self._parts.append(gzip.compress(whole, 1) if self._packed else whole)
        return self

    @property
    def data(self) -> bytes:
        return b"".join(self._parts)

    def save(self, path: Path) -> Path:
        path.write_bytes(self.data)
        return path


def save_wacz(path: Path, *archives: bytes, how: int = zipfile.ZIP_STORED) -> Path:
    """A WACZ file with archives in it."""
    with zipfile.ZipFile(path, "w", how) as whole:
        whole.writestr("datapackage.json", "{}")
        whole.writestr("pages/pages.jsonl", "")
        for number, data in enumerate(archives):
            whole.writestr(f"archive/{number}.warc.gz", data)
    return path


def _bytes(text: bytes | str) -> bytes:
    return text.encode() if isinstance(text, str) else text
