"""Results in, documents out: the dashboard, Markdown, JUnit XML, a badge, JSON and CSV.

Everything here is a pure function of results and of the lists in ``Known``: no clock, no environment, no network.
The same results give the same bytes.
"""
