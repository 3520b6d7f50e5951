"""Record and replay of Graph functions, simulated on abstract buffers (replay.md).

``simulate`` runs an orchestration as the emitted host code would and compares what a replay uses with what is right;
``counterexample`` finds the smallest pair of calls on which one frozen value is wrong.
"""
