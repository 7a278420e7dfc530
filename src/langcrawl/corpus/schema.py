"""The columns of a corpus; docs/corpus.md explains them."""

from __future__ import annotations

from typing import Final

import pyarrow as pa

DOCUMENT: Final = pa.schema(
    [
        ("url", pa.string()),
        ("host", pa.string()),
        ("fetched_at", pa.timestamp("ms", tz="UTC")),
        ("title", pa.string()),
        ("language", pa.string()),
        ("script", pa.string()),
        ("encoding", pa.string()),
        ("charset", pa.string()),
        ("score", pa.float64()),
        ("licence", pa.string()),
        ("author", pa.string()),
        ("date", pa.string()),
        ("warc_file", pa.string()),
        ("warc_offset", pa.int64()),
        ("digest", pa.string()),
        ("characters", pa.int64()),
        ("text", pa.large_string()),
    ]
)
"""A document: a page that was exported. `text` has a line for each paragraph."""

COLUMNS: Final = {
    "url": "the page's address",
    "host": "its host",
    "fetched_at": "when it was downloaded",
    "title": "its title",
    "language": "its language, a BCP-47 tag",
    "script": "its script, an ISO 15924 code",
    "encoding": "how it was typed: `unicode`, or a legacy encoding such as `zawgyi`",
    "charset": "the character set of its bytes",
    "score": "how much it is in the target language, 0 to 1",
    "licence": "its licence, where it states one",
    "author": "its author, where it states one",
    "date": "when it was published, where it states that",
    "warc_file": "the archive file that holds it",
    "warc_offset": "where its record begins in that file",
    "digest": "SHA-1 of its body, as the archive has it",
    "characters": "the length of `text`",
    "text": "the text in normalised Unicode, a line for each paragraph",
}
"""What each column says, in words."""

PART: Final = DOCUMENT.append(pa.field("key", pa.binary(16))).append(
    pa.field("paragraph_keys", pa.large_list(pa.uint64()))
).append(pa.field("paragraph_sizes", pa.large_list(pa.int32())))  # fmt: skip
"""A document while the corpus is made: with hashes of its text and of its paragraphs."""


def documents_only(table: pa.Table) -> pa.Table:
    """The columns of a corpus, without those that only its making needs."""
    return table.select(DOCUMENT.names)
