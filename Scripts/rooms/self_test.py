"""Checks that Scripts/check-rooms finds each kind of violation, in a small temporary package."""
import sys
import tempfile
from pathlib import Path

TABLE = """
  CLow:
  Low:  CLow
  High: Low Logging
"""

FILES = {
    "Package.swift": """
        let package = Package(
          targets: [
            .target(name: "CLow"),  // .target(name: "Low", dependencies: ["High"])
            .target(name: "Low", dependencies: ["CLow"]),
            .target(
              name: "High",
              dependencies: ["Low", .product(name: "Logging", package: "log", condition: .when(traits: ["Loud"]))]
            ),
          ]
        )
        """,
    "Sources/CLow/include/CLow.h": "#include <stdint.h>\n// This module knows numbers.\n",
    "Sources/Low/Low.swift": """// This module knows numbers, and one
        // thing more. It has a second sentence.
        import Foundation
        /* import High /* nested */ import High */
        let text = \"\"\"
          import High
          \\(words.map { "import \\($0) {" })
        \"\"\"
        """.replace("\n        ", "\n"),
    "Sources/Low/Box.swift": """@usableFromInline
        package struct Box { @inlinable package func open() {} }
        extension Box { @inlinable package func close() {} }
        package struct Narrow { func open() { if true {} } }
        @inlinable package func free() {}
        """,
    "Sources/High/High.swift": "// This module knows everything.\n@preconcurrency import Logging\nimport Low\n",
    "docs/architecture.md": "| `CLow` | numbers |  |\n| `Low` | numbers, and one thing more | `CLow` |\n"
    "| `High` | everything | `Low`, `Logging` |\n",
}

IMPORTS = [
    "import High", "  import High", "@testable import High", "@testable\nimport High", "package import High",
    "@_exported import High", "@_exported public import High", "@preconcurrency import High", "internal import High",
    "private import High", "import struct High.Wall", "import High.Wall", "import Foundation; import High",
    "@_spi(Wall) import High", "/**/ import High", "#if DEBUG\nimport High\n#endif",
]

# A file, the text that is appended to it or, as a pair, replaced in it, and the expected message of the check.
CHANGES = [
    *[("Sources/Low/Box.swift", "\n" + text + "\n", "Low may not import High") for text in IMPORTS],
    ("Sources/Low/Box.swift", "import Logging", "Low may not import Logging"),
    ("Sources/High/Test.swift", "import XCTest", "High may not import XCTest"),
    ("Sources/Low/Deep/Er.swift", "import High", "Sources/Low/Deep/Er.swift:1: Low may not import High"),
    ("Sources/CLow/low.c", "#include <High.h>", "CLow may not import High"),
    ("Package.swift", ('["CLow"]', '["CLow", "High"]'), "Package.swift:5: Low may not depend on High"),
    ("Package.swift", ('["CLow"]', '[.target(name: "High")]'), "Low may not depend on High"),
    ("Package.swift", ('["CLow"]', '["CLow", .product(name: "Logging", package: "log")]'), "depend on Logging"),
    ("Package.swift", ('["CLow"]', '["CLow"] + others'), "the dependencies of Low are no plain list"),
    ("Package.swift", ('["CLow"]', "others"), "the dependencies of Low are no plain list"),
    ("Sources/High/High.swift", ("// This module knows everything.", "// This module is high."), "no sentence"),
    ("Sources/High/High.swift", ("everything.", "everything"), "no sentence"),
    ("Sources/CLow/include/CLow.h", ("// This module knows numbers.", ""), "no sentence"),
    ("Sources/Other/Other.swift", "// This module knows nothing.", "the module Other has no row"),
    ("docs/architecture.md", ("everything", "something"), "this row is missing"),
    *[
        ("Sources/Low/Inlined.swift", text, "'@inlinable' does nothing here")
        for text in [
            "package struct Lock { @inlinable package func take() {} }",
            "package final class Lock<Value> {\n  @inlinable\n  package init() { while true {} }\n}",
            "extension Narrow { @inlinable package func close() {} }",
            "extension Narrow.Inner { @inlinable package func close() {} }",
            "package enum Outer { package struct Inner { func f() {}; @inlinable package var x: Int { 0 } } }",
        ]
    ],
]


def write(root, changes):
    for name, text in {**FILES, **changes}.items():
        file = root / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text, encoding="utf-8")


def problems(check, rooms, changes=None, longer=None):
    """The messages of the check for the package with some changed files."""
    with tempfile.TemporaryDirectory() as folder:
        write(Path(folder), changes or {})
        return check(folder, rooms, longer or {}).run()


def run(check, rooms_of, longest):
    rooms = rooms_of(TABLE)
    failures = []

    def expect(found, expected, case):
        if [problem for problem in found if expected and expected in problem] != found or bool(found) != bool(expected):
            failures.append(f"{case!r}: expected {expected!r}, found {found}")

    expect(problems(check, rooms), None, "nothing changed")
    for name, change, expected in CHANGES:
        before = FILES.get(name, "")
        text = before.replace(*change) if isinstance(change, tuple) else before + change
        expect(problems(check, rooms, {name: text}), expected, f"{name}: {change}")
    long = {"Sources/Low/Long.swift": "//\n" * (longest + 1)}
    expect(problems(check, rooms, long), f"more than {longest}", "a long module")
    expect(problems(check, rooms, long, {"Low": 2 * longest}), None, "a long module that may be")
    expect(problems(check, rooms, longer={"Low": 2 * longest}), "no limit of its own", "a limit that is not needed")
    page = {"docs/architecture.md": FILES["docs/architecture.md"].replace("| `CLow` |\n", "| `CLow`, `High` |\n")}
    expect(problems(check, {**rooms, "Low": ["CLow", "High"]}, page), "whose row is not above its own", "a circle")
    if failures:
        sys.exit("\n".join(failures))
    print(f"{len(CHANGES) + 5} cases are distinguished")
