"""Finds public declarations with missing or incomplete documentation."""
import re

PARAMETER = re.compile(r"^\s*- Parameters?\b", re.MULTILINE)
THROWS = re.compile(r"^\s*- Throws:", re.MULTILINE)
WITH_PARAMETERS = ("swift.func", "swift.init", "swift.macro", "swift.method", "swift.subscript", "swift.type.method",
                   "swift.type.subscript")


def gaps(declaration):
    """The missing parts: the comment, or its parameters and errors."""
    if not declaration.is_written or declaration.is_generated:
        return []
    if not declaration.documentation.strip():
        return ["no comment"]
    found = []
    if throws(declaration.text) and not THROWS.search(declaration.documentation):
        found.append("no '- Throws:'")
    if has_parameters(declaration) and not PARAMETER.search(declaration.documentation):
        found.append("no '- Parameter'")
    return found


def has_parameters(declaration):
    return declaration.kind in WITH_PARAMETERS and ":" in declaration.title


def throws(text):
    """Whether a declaration itself throws.

    >>> throws("func a() async throws -> Int"), throws("var a: Int { get throws }"), throws("init(a: (T) -> T) throws(T)")
    (True, True, True)
    >>> throws("func a(_ b: () throws -> Int) rethrows"), throws("func a() -> () throws -> Int"), throws("var a: Int")
    (False, False, False)
    """
    if accessors := re.search(r"\{([^{}]*)\}$", text):
        return re.search(r"\bthrows\b", accessors[1]) is not None
    while (shorter := re.sub(r"\([^()]*\)", "", text)) != text:
        text = shorter
    return re.search(r"\bthrows\b", text.split("->")[0]) is not None
