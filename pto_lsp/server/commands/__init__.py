"""What ``workspace/executeCommand`` offers: one module per command, imported when it is first asked for.

Positions are those of the protocol, in the client's encoding; answers are plain JSON.
"""
