"""PJRT plugins as the package index offers them.

One program: `fetch` unpacks the wheel of a plugin and says where its library lies.
"""
