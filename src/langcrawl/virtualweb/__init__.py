"""Generated webs: made to measure, and served over real HTTP.

`synth` generates a crawl log with the statistics of a profile. A small web of the project's own
(`small`) and any log (`served`) can be served on loopback (`serve`). A log keeps no text: that
of a served page is written anew (`phrases`, in legacy encodings `legacy`), the same each time.
"""
