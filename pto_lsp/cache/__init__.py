"""Results of earlier runs on disk, so that a run costs what has changed since.

A result is taken over only when nothing can have changed that it came from: the content of the file and of every
module it read, the settings of all of these, which of the modules it imports can be found where, and this tool itself.
Whatever is in doubt is a miss. Nothing here is needed for a run to be right, and no fault here ends one.
"""
