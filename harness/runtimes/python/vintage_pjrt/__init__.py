"""PJRT plugins as the package index offers them.

Two programs: `fetch` unpacks the wheel of a plugin and says where its library lies; `disk` says
what environments take, and drops some.
"""
