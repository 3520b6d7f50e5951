"""The runtime's orchestration interface for machines without it: submissions are recorded instead of run.

The C++ here is compiled together with an orchestration; ``record`` does that and returns what was recorded.
"""
