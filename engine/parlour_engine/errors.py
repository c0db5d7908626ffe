"""What can go wrong in the engine, as a tree.

EngineError
├── BadOption          an option that the game does not have, or a value it does not take
├── BadData            a data file that does not hold what it must
├── GameNotFound       no game of that slug
└── StateUnreadable    a stored state that this version of the rules cannot read
"""


class EngineError(Exception):
    """Anything the engine refuses."""


class BadOption(EngineError):
    """An option that the game does not have, or a value that it does not take."""

    def __init__(self, name: str, message: str) -> None:
        super().__init__(f"{name}: {message}")
        self.name = name
        self.message = message


class BadData(EngineError):
    """A data file that does not hold what it must; names file, key and reason."""

    def __init__(self, file: str, key: str, reason: str) -> None:
        super().__init__(f"{file}: {key}: {reason}")
        self.file = file
        self.key = key
        self.reason = reason


class GameNotFound(EngineError):
    """No game of that slug."""


class StateUnreadable(EngineError):
    """A stored state that this version of the rules cannot read."""
