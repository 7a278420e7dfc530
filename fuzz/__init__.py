"""A fuzzer: strange inputs by the thousand, and what was promised for each of them.

`targets` lists what is fuzzed. A target has a few seeds, made by its own code, and a check that
takes bytes and raises only if a promise of the documentation is broken. `mutate` makes new inputs
of old ones. `child` tries each input in a process of its own making, with limits of memory and
time, so that a crash or a hang is a finding and not the end. `run` shares the time among the
targets and keeps inputs that gave something new. `found` makes findings smaller and writes them to
``fuzz/found``.

``make fuzz`` runs it for hours, ``make fuzz SECONDS=60`` for a minute.
"""
