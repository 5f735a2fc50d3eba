"""Reads the parts of Swift sources, C sources and manifests that Scripts/check-rooms needs."""
import re

SKIPPED = r'//|/\*|#*"""|#*"'
ATTRIBUTE = r"@\w+(?:\([^()]*\))?"
ACCESS = r"public|package|internal|private|fileprivate|open"
IMPORT = re.compile(
    rf"(?:^|;)[ \t]*(?:(?:{ATTRIBUTE}|{ACCESS})\s*)*\bimport\s+"
    r"(?:(?:struct|class|enum|protocol|actor|typealias|func|let|var)\s+)?`?(\w+)`?(?:\.[\w`.]+)?", re.MULTILINE)
INCLUSION = re.compile(r'^\s*(?:#\s*(?:include|import)\s*["<](?:[^">]*/)?(\w+)\.h|@import\s+(\w+))', re.MULTILINE)
TYPE = re.compile(
    rf"((?:(?:{ATTRIBUTE}|{ACCESS}|final|indirect|nonisolated)\s+)*)"
    r"\b(struct|class|enum|actor|protocol|extension)\s+([A-Z_][\w$]*(?:\.[\w$]+)*)|@inlinable\b|[{}]")
TARGET = re.compile(r'\.(?:target|macro|systemLibrary|executableTarget|testTarget)\(\s*name:\s*"(\w+)"')


def imports(text):
    """The modules that a Swift file imports, in any form, each with its line."""
    return [(match.group(1), line_of(match.start(1), text)) for match in IMPORT.finditer(blanked(text))]


def inclusions(text):
    """The names of the headers and modules that a C file includes, each with its line."""
    return [(match[1] or match[2], line_of(match.end(), text)) for match in INCLUSION.finditer(text)]


def line_of(index, text):
    return text.count("\n", 0, index) + 1


def blanked(text, keeps_strings=False):
    """A text in which spaces replace comments, and strings unless they are kept; line numbers stay the same."""
    parts, end = [], 0
    while match := re.compile(SKIPPED).search(text, end):
        parts.append(text[end:match.start()])
        start, end = match.start(), skipped(text, match)
        is_kept = keeps_strings and '"' in match.group()
        parts.append(text[start:end] if is_kept else re.sub(r"[^\n]", " ", text[start:end]))
    return "".join(parts) + text[end:]


def skipped(text, match):
    """The end of a comment or string that begins with a match."""
    token = match.group()
    if token == "//":
        end = text.find("\n", match.end())
        return end if end >= 0 else len(text)
    return comment_end(text, match.end()) if token == "/*" else string_end(text, match.end(), token)


def comment_end(text, index):
    """Block comments can be nested."""
    depth = 1
    while depth and (match := re.compile(r"/\*|\*/").search(text, index)):
        depth += 1 if match.group() == "/*" else -1
        index = match.end()
    return len(text) if depth else index


def string_end(text, index, opening):
    """Strings can contain expressions, which can contain strings."""
    hashes = "#" * opening.count("#")
    closing_quotes, escape = opening.lstrip("#") + hashes, "\\" + hashes
    pattern = re.compile(f"{re.escape(closing_quotes)}|{re.escape(escape)}")
    while match := pattern.search(text, index):
        if match.group() == closing_quotes:
            return match.end()
        is_expression = text[match.end():match.end() + 1] == "("
        index = closing(text, match.end()) if is_expression else match.end() + 1
    return len(text)


def closing(text, index):
    """The index of the closing bracket for the bracket at an index."""
    depth = 0
    while match := re.compile(rf"[\[({{]|[\])}}]|{SKIPPED}").search(text, index):
        index = match.end()
        if match.group() in "[({":
            depth += 1
        elif match.group() in "])}":
            depth -= 1
            if depth == 0:
                return index
        else:
            index = skipped(text, match)
    return len(text)


def lost_inlinings(files):
    """The `@inlinable` members of types that are only `package`, as file, line and type."""
    narrow, members = set(), []
    for file, text in files:
        for is_type, path, line in marks(text):
            if is_type:
                narrow.add(path)
            else:
                members.append((file, line, path))
    for file, line, path in members:
        names = path.split(".")
        prefixes = (".".join(names[:count]) for count in range(1, len(names) + 1))
        if lost := next((prefix for prefix in prefixes if prefix in narrow), None):
            yield file, line, lost


def marks(text):
    """The types of a file that are only `package`, and its `@inlinable` members with their types."""
    code = IMPORT.sub(lambda match: re.sub(r"[^\n]", " ", match.group()), blanked(text))
    paths, opening = [""], None
    for match in TYPE.finditer(code):
        modifiers, kind, name = match.groups()
        if kind:
            opening = name if kind == "extension" or not paths[-1] else f"{paths[-1]}.{name}"
            if kind != "extension" and is_only_package(modifiers):
                yield True, opening, line_of(match.start(), code)
        elif match.group() == "{":
            paths.append(opening or paths[-1])
            opening = None
        elif match.group() == "}":
            if len(paths) > 1:
                paths.pop()
        elif paths[-1]:
            yield False, paths[-1], line_of(match.start(), code)


def is_only_package(modifiers):
    return "package" in modifiers.split() and "@usableFromInline" not in modifiers


def targets(manifest):
    """The targets of a manifest with their dependencies, which are None unless they are a plain list, and their lines."""
    text = blanked(manifest, keeps_strings=True)
    for match in TARGET.finditer(text):
        body = text[match.start():closing(text, text.index("(", match.start()))]
        yield match.group(1), dependencies(body), line_of(match.start(), text)


def dependencies(body):
    start = re.search(r"\bdependencies:\s*", body)
    if not start:
        return []
    end = closing(body, start.end()) if body[start.end()] == "[" else len(body)
    if not re.match(r"\s*[,)]", body[end:]):
        return None
    return [name for name in map(dependency, elements(body[start.end() + 1:end - 1])) if name]


def elements(text):
    """The elements of a list."""
    parts, start, index = [], 0, 0
    while match := re.compile(r'[\[(]|,|"').search(text, index):
        index = match.end()
        if match.group() in "[(":
            index = closing(text, match.start())
        elif match.group() == '"':
            index = string_end(text, match.end(), '"')
        else:
            parts.append(text[start:match.start()])
            start = index
    return parts + [text[start:]]


def dependency(element):
    """The module of a dependency: a string, or the name in `.product`, `.target` or `.byName`."""
    match = re.match(r'\s*(?:\.\w+\(\s*name:\s*)?"(\w+)"', element)
    return match.group(1) if match else element.strip() or None
