"""The text form of declarations that is under version control, and the differences of two such texts."""
import re

NAME = re.compile(
    r"\bfunc\s+([^\w\s(`]+(?=\s*[(<]))"
    r"|\b(?:func|var|let|case|macro|struct|class(?! func| var)|actor|enum|protocol|typealias|associatedtype)\s+([\w$`]+)"
    r"|\b(init|subscript)\b")
TOP_LEVEL = "(top level)"


def text(title, version, declarations):
    """A heading for every type and a line for each of its declarations, all sorted."""
    groups = {}
    for declaration in declarations:
        groups.setdefault(heading(declaration), set()).add(declaration.text)
    parts = [f"# {title} As Scripts/check-api --write stores it.\n# {version}\n"]
    for owner in sorted(groups):
        parts.append("\n".join([owner, *(f"  {line}" for line in sorted(groups[owner], key=order))]) + "\n")
    return "\n".join(parts)


def heading(declaration):
    return declaration.owner or TOP_LEVEL


def type_in(heading):
    """
    >>> type_in("Model (extension) where Self: A"), type_in("Array where Element: A"), type_in(TOP_LEVEL)
    ('Model', 'Array', '(top level)')
    """
    return re.split(r" \(| where ", heading)[0]


def order(line):
    """A type's own declaration first, then its conformances, then its members by name.

    >>> sorted(["var b", ": Sendable", "@available(*, deprecated) func a()", "struct S"], key=order)
    ['struct S', ': Sendable', '@available(*, deprecated) func a()', 'var b']
    """
    is_type = re.search(r"^(?:[^()]*\s)?(?:struct|class(?! func| var)|actor|enum|protocol)\s", line) is not None
    return not is_type, not line.startswith(":"), name_of(line), line


def version_in(text):
    """The compiler version in a text."""
    return next((line[2:] for line in text.splitlines()[1:2] if line.startswith("# ")), None)


def lines_in(text):
    """The declarations of a text, each with its owner."""
    found, owner = set(), TOP_LEVEL
    for line in text.splitlines():
        if line.startswith("  "):
            found.add((owner, line.strip()))
        elif line and not line.startswith("#"):
            owner = line
    return found


def name_of(declaration):
    """
    >>> name_of("@discardableResult final func insert<T>(_ model: T) -> T"), name_of("init(from: any Decoder)")
    ('insert', 'init')
    >>> name_of(": Sendable"), name_of("static func == (a: S, b: S) -> Bool")
    (': Sendable', '==')
    """
    match = NAME.search(declaration)
    return next(filter(None, match.groups())) if match else declaration


def differences(before, after):
    """The added, removed and changed declarations, one per line. A change is one removal and one addition with the same name.

    >>> old = "S\\n  struct S\\n  func a()\\n  var b: Int\\n  init()\\n"
    >>> new = "S\\n  struct S\\n  func a() throws\\n  init()\\n  init(c: Int)\\n"
    >>> print("\\n".join(differences(old, new)))
    changed  S: func a()
         to  S: func a() throws
    went     S: var b: Int
    came     S: init(c: Int)
    >>> list(differences(old, old))
    []
    """
    gone, come = lines_in(before) - lines_in(after), lines_in(after) - lines_in(before)
    for key in sorted({(owner, name_of(line)) for owner, line in gone | come}):
        went = sorted(line for owner, line in gone if (owner, name_of(line)) == key)
        came = sorted(line for owner, line in come if (owner, name_of(line)) == key)
        if len(went) == len(came) == 1:
            yield f"changed  {key[0]}: {went[0]}"
            yield f"     to  {key[0]}: {came[0]}"
        else:
            yield from (f"went     {key[0]}: {line}" for line in went)
            yield from (f"came     {key[0]}: {line}" for line in came)
