"""The compiled simulation of `adaptive`: some twenty times as fast as the interpreted loop.

`encode` reads off URLs and links of a graph, once, what the strategy asks of them: places, kinds,
names of languages. `kernel` is the loop and the strategy over these numbers. `run` makes room for
it, lets it run in slices, and gives what was learned back to the strategy. Draws by chance, time,
limits other than a number of pages and links to unknown pages are left to the interpreted loop.
"""
