"""Reads the public declarations of the modules that an import makes visible, from symbol graphs of the compiler."""
import json
import os
import re
import subprocess
import tempfile
from pathlib import Path

EXPORT = re.compile(r"^@_exported import (\w+)", re.MULTILINE)
MODULE_MAP = re.compile(r'"-fmodule-map-file=([^"]+)"')
# The names that a macro's expansion declares concern only generated code.
MACRO_NAMES = re.compile(r", names: (?:(?:\w+\([^()]*(?:\([^()]*\))?[^()]*\)|\w+)(?:, )?)+")
# Nearly every type has these conformances, and the compiler lists them for some types only.
IMPLIED = ("Copyable", "Escapable", "SendableMetatype")
TYPES = ("swift.class", "swift.struct", "swift.enum", "swift.protocol")
EXTENSION = "swift.extension"


class Declaration:
    """A public declaration, or a conformance of a type."""

    def __init__(self, owner, text, is_generated, symbol=None):
        self.owner, self.text, self.is_generated = owner, text, is_generated
        self.kind = symbol and kind_of(symbol)
        self.title = symbol and symbol["names"]["title"]
        # Declarations that the compiler synthesizes, such as the `==` of an enumeration, have no location in a source.
        self.is_written = symbol is not None and "location" in symbol
        lines = symbol.get("docComment", {}).get("lines", []) if symbol else []
        self.documentation = "\n".join(line["text"] for line in lines)


class Graphs:
    """The symbols of several modules: those that documentation shows, and all.

    Symbols that the compiler hides from documentation are for generated code: names with an underscore, their members, and
    declarations with `@_documentation(visibility: internal)`.
    """

    def __init__(self, shown, every, first):
        self.first = set(first)
        self.conformance_rows = {}
        for row in (row for graph in every for row in graph["relationships"]):
            if row["kind"] in ("conformsTo", "inheritsFrom"):
                self.conformance_rows.setdefault(row["source"], []).append(row)
        self.shown, self.every = symbols_of(shown), symbols_of(every)
        self.modules = {name: graph["module"]["name"] for graph in every for name in symbols_of([graph])}
        # The graphs of internal symbols also show setters that are not public, so the others have precedence.
        self.public = {name: self.shown.get(name, symbol) for name, symbol in public_symbols(self.every).items()}
        self.own_constraints = {
            tuple(symbol["pathComponents"]): constraints_of(symbol.get("swiftGenerics", {}))
            for symbol in self.every.values() if kind_of(symbol) in TYPES}
        self.aliases = dict(self.aliases_of_hidden_types())

    def declarations(self):
        """The public declarations, each with its import: the second one, unless a module of the first declares it."""
        for name, symbol in self.public.items():
            door = "SwiftData" if self.modules[name] in self.first else "OpenSwiftData"
            if kind_of(symbol) != EXTENSION:
                # The text of an alias names the aliased type, so no alias is substituted in it.
                is_alias = kind_of(symbol) == "swift.typealias"
                text = text_of(symbol) if is_alias else self.public_name(text_of(symbol))
                yield door, Declaration(self.public_name(self.owner(symbol)), text, not self.is_shown(name), symbol)
            if kind_of(symbol) in (*TYPES, EXTENSION):
                yield from ((door, conformance) for conformance in self.conformances(name, symbol))

    def aliases_of_hidden_types(self):
        """The types that users can only name by an alias, such as `ModelConfiguration.UniquenessPolicy`, with their aliases."""
        hidden = {".".join(symbol["pathComponents"]) for symbol in self.public.values()
                  if kind_of(symbol) in TYPES and any(name.startswith("_") for name in symbol["pathComponents"])}
        for symbol in self.shown.values():
            _, _, target = text_of(symbol).partition(" = ")
            if kind_of(symbol) == "swift.typealias" and target in hidden:
                yield target, ".".join(symbol["pathComponents"])

    def is_shown(self, name):
        """Whether a declaration is for users: documentation shows it, or an alias of its type."""
        path = ".".join(self.every[name]["pathComponents"])
        return name in self.shown or any(
            f"{path}.".startswith(f"{hidden}.") and "._" not in path[len(hidden):] for hidden in self.aliases)

    def public_name(self, text):
        """A text in which aliases replace the types that users can only name by them."""
        for hidden, alias in self.aliases.items():
            text = re.sub(rf"{re.escape(hidden)}\b", alias, text)
        return text

    def owner(self, symbol):
        """The type that contains a declaration, or the type itself; with the condition of an extension."""
        is_type = kind_of(symbol) in (*TYPES, EXTENSION)
        path = symbol["pathComponents"] if is_type else symbol["pathComponents"][:-1]
        extension = symbol.get("swiftExtension", {})
        is_default = extension.get("typeKind") == "swift.protocol" and not is_type
        return ".".join(path) + " (extension)" * is_default + self.condition(path, constraints_of(extension))

    def condition(self, path, constraints):
        """The constraints of an extension that its type does not have."""
        rest = constraints - self.own_constraints.get(tuple(path), set())
        return f" where {', '.join(sorted(rest))}" if rest else ""

    def conformances(self, name, symbol):
        """The declared conformances of a type or of an extension."""
        path = symbol["pathComponents"]
        for row in self.conformance_rows.get(name, []):
            protocol = self.target(row)
            if not protocol or protocol in IMPLIED or self.is_implied(row, symbol) or self.is_conditional_on_hidden(row):
                continue
            is_generated = not self.is_shown(name) or row["target"] in self.public and not self.is_shown(row["target"])
            condition = self.condition(path, constraints_of(row, "swiftConstraints"))
            yield Declaration(self.public_name(".".join(path)), f": {protocol}{condition}", is_generated)

    def is_implied(self, row, symbol):
        """Whether a type of another library has a conformance only because a protocol of this library refines the protocol."""
        module = symbol.get("swiftExtension", {}).get("extendedModule")
        return kind_of(symbol) == EXTENSION and module not in self.modules.values() and row["target"] not in self.public

    def is_conditional_on_hidden(self, row):
        """Whether a conformance has a condition that is not public, such as an internal protocol that refines it."""
        names = {constraint.get("rhsPrecise") for constraint in row.get("swiftConstraints", [])}
        return any(name in self.every and name not in self.public for name in names)

    def target(self, row):
        """The protocol in a row; None if it is not public."""
        if row["target"] in self.every:
            symbol = self.public.get(row["target"])
            return symbol and ".".join(symbol["pathComponents"])
        return row["targetFallback"].split(".", 1)[-1] if "targetFallback" in row else None


def kind_of(symbol):
    return symbol["kind"]["identifier"]


def symbols_of(graphs):
    return {symbol["identifier"]["precise"]: symbol for graph in graphs for symbol in graph["symbols"]}


def public_symbols(symbols):
    """The public symbols whose enclosing types are all public."""
    is_public = {name: symbol["accessLevel"] in ("public", "open") for name, symbol in symbols.items()}
    types = [(tuple(symbol["pathComponents"]), is_public[name]) for name, symbol in symbols.items()
             if kind_of(symbol) in TYPES]
    closed = {path for path, is_open in types if not is_open} - {path for path, is_open in types if is_open}

    def is_enclosed(path):
        return any(tuple(path[:length]) in closed for length in range(1, len(path) + 1))

    return {name: symbol for name, symbol in symbols.items()
            if is_public[name] and not symbol.get("spi") and not is_enclosed(symbol["pathComponents"])}


def constraints_of(rows, key="constraints"):
    spellings = {"conformance": ":", "superclass": ":", "sameType": " =="}
    return {f"{row['lhs']}{spellings[row['kind']]} {row['rhs']}" for row in rows.get(key, [])}


def text_of(symbol):
    """A declaration in one line, with its availability and access level, but without the names in expansions."""
    text = "".join(fragment["spelling"] for fragment in symbol["declarationFragments"])
    attributes = [attribute_of(row) for row in symbol.get("availability", [])]
    access = ["open"] if symbol["accessLevel"] == "open" else []
    return MACRO_NAMES.sub("", " ".join([*sorted(attributes), *access, *text.split()]))


def attribute_of(availability):
    """An availability attribute without its message, which is documentation."""
    parts = [availability.get("domain", "*")]
    for key in ("introduced", "deprecated", "obsoleted"):
        if key in availability:
            parts.append(f"{key}: {version_of(availability[key])}")
    parts += ["deprecated"] * availability.get("isUnconditionallyDeprecated", False)
    parts += ["unavailable"] * availability.get("isUnconditionallyUnavailable", False)
    parts += [f'renamed: "{availability["renamed"]}"'] if "renamed" in availability else []
    return f"@available({', '.join(parts)})"


def version_of(version):
    numbers = [version.get(part) for part in ("major", "minor", "patch")]
    return ".".join(str(number) for number in numbers if number is not None)


def exported_modules(root, door):
    """The modules of Sources that the import of a module makes visible, including the module itself."""
    found, left = [], [door]
    while left:
        name = left.pop()
        folder = root / "Sources" / name
        if name not in found and folder.is_dir():
            found.append(name)
            for file in sorted(folder.rglob("*.swift")):
                left += EXPORT.findall(file.read_text(encoding="utf-8"))
    return sorted(found)


class Extractor:
    """Runs the compiler's tool on the modules of a build."""

    def __init__(self, build):
        self.build = build
        self.information = json.loads(output("swiftc", "-print-target-info"))

    @property
    def version(self):
        return self.information["compilerVersion"]

    def declarations(self, first, second):
        """The public declarations that the second import makes visible, each with the import that it needs."""
        with tempfile.TemporaryDirectory() as folder:
            shown = self.graphs(second, "public", Path(folder))
            every = self.graphs(second, "internal", Path(folder))
        return Graphs(shown, every, first).declarations()

    def graphs(self, modules, level, folder):
        target = folder / level
        target.mkdir()
        for module in modules:
            self.extract(module, level, target, folder / "cache")
        return [json.loads(file.read_text(encoding="utf-8")) for file in sorted(target.glob("*.symbols.json"))]

    def extract(self, module, level, target, cache):
        output(
            "swift", "symbolgraph-extract", "-module-name", module, "-minimum-access-level", level,
            "-skip-synthesized-members", "-emit-extension-block-symbols", "-output-dir", str(target),
            "-module-cache-path", str(cache), "-target", self.information["target"]["triple"], *sdk_options(),
            *module_flags(self.build))


def module_flags(build):
    """The compiler options for the modules of a build, including C modules."""
    manifest = build.parent / f"{build.name}.yaml"
    files = set(MODULE_MAP.findall(manifest.read_text(encoding="utf-8"))) if manifest.is_file() else set()
    maps = [option for file in sorted(files) for option in ("-Xcc", f"-fmodule-map-file={file}")]
    return ["-I", str(build / "Modules"), *maps]


def sdk_options():
    """The SDK options on Apple's systems.

    Linux builds use `/` as the SDK. With this option every module would count as a system module, whose underscored names are in
    no graph.
    """
    if os.uname().sysname != "Darwin":
        return []
    return ["-sdk", os.environ.get("SDKROOT") or output("xcrun", "--show-sdk-path").strip()]


def output(*command):
    process = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, text=True)
    if process.returncode != 0:
        raise SystemExit(f"{' '.join(command[:4])} ended with exit code {process.returncode}:\n{process.stderr}")
    return process.stdout
