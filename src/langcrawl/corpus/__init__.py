"""From crawl to corpus: the texts of archived pages as one clean table.

`export` does it in three steps. `sources` finds the pages of crawl directories and web archives,
and `documents` reads them on all cores: main text, in Unicode (`tidy`), judged, filtered
(`quality`). What they become is kept in `parts`, files beside the corpus, so that an export that
was killed goes on where it was. Then `duplicates` looks at all documents at once and decides which
of them, and which of their paragraphs, are there already (`kernels` has its inner loops). Last,
`shards` writes what stays in one of the `formats`, and `card` says how it was made. `wacz` packs
the archive itself. `stats` counts what is in a corpus, whoever made it.
"""
