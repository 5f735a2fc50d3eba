import Foundation

/// The table of Apple's declarations. A line has four cells: the section, the state, the declaration, and the file that
/// uses it.
struct DeclarationTable {
  enum State: String {
    /// The library has the declaration, and code that uses it compiles.
    case present
    /// The library lacks the declaration, and code that uses it does not compile.
    case missing
    /// The declaration needs a framework that Linux lacks, and no code uses it.
    case elsewhere
  }

  struct Row {
    let section: String
    let state: State
    let name: String
    let file: String
  }

  private(set) var rows: [Row] = []
  /// The lines of the table that could not be parsed.
  private(set) var unreadableLines: [String] = []

  init(_ text: String) {
    for line in text.split(separator: "\n") where !line.hasPrefix("#") {
      let cells = line.components(separatedBy: " | ").map { $0.trimmingCharacters(in: .whitespaces) }
      guard cells.count == 4, let state = State(rawValue: cells[1]) else {
        unreadableLines.append(String(line))
        continue
      }
      rows.append(Row(section: cells[0], state: state, name: cells[2], file: cells[3]))
    }
  }

  /// The differences between the table and the compiler's output, each with its declaration.
  ///
  /// - Parameters:
  ///   - uses: The code in the sources that uses a declaration.
  ///   - errors: The compiler's output for the sources, line by line.
  func problems(uses: [DeclaredUse], errors: [String]) -> [String] {
    let errors = CompileErrors(errors, of: uses)
    let byName = Dictionary(uses.map { ($0.name, $0) }) { first, _ in first }
    return unreadableLines.map { "no row: \($0)" } + repeated(rows.map(\.name), "row")
      + repeated(uses.map(\.name), "use") + errors.ofNoUse.map { "in code of no use: \($0)" }
      + rows.compactMap { problem($0, byName[$0.name], errors.ofUses[$0.name] ?? []) }
      + uses.filter { use in !rows.contains { $0.name == use.name } }.map { "\($0.name): has a use and no row" }
      + uses.filter { !$0.lines.isEmpty && !$0.missingWords.isEmpty }.map { use in
        "\(use.name): its use does not name \(use.missingWords.joined(separator: ", "))"
      }
  }

  private func problem(_ row: Row, _ use: DeclaredUse?, _ errors: [String]) -> String? {
    guard row.state != .elsewhere else { return use.map { "\($0.name): has a use, so it is not elsewhere" } }
    guard let use else { return "\(row.name): has no use" }
    guard use.file == row.file else { return "\(row.name): its use is in \(use.file), not in \(row.file)" }
    if use.lines.isEmpty { return "\(row.name): its use has no code" }
    switch row.state {
    case .present: return errors.isEmpty ? nil : "\(row.name): its use does not compile: \(errors[0])"
    case .missing: return errors.isEmpty ? "\(row.name): its use compiles, so it is not missing any more" : nil
    case .elsewhere: return nil
    }
  }

  private func repeated(_ names: [String], _ kind: String) -> [String] {
    let counts = Dictionary(grouping: names) { $0 }.mapValues(\.count)
    return counts.filter { $0.value > 1 }.keys.sorted().map { "\($0): has more than one \(kind)" }
  }
}

/// The errors of a compilation, grouped by the use of a declaration in which they occur.
private struct CompileErrors {
  private(set) var ofUses: [String: [String]] = [:]
  /// Errors in lines that use no declaration.
  private(set) var ofNoUse: [String] = []

  init(_ messages: [String], of uses: [DeclaredUse]) {
    let uses = Dictionary(grouping: uses, by: \.file)
    for message in messages where Self.isError(message) {
      let place = message.prefixMatch(of: /(?:.*\/)?([^\/:]+\.swift):(\d+):\d+: error: (.*)/)
      let line = place.flatMap { Int($0.2) } ?? 0
      let inFile = place.flatMap { uses[String($0.1)] } ?? []
      let own = inFile.filter { $0.lines.contains(line) }
      // An error in the first lines of a paragraph, such as a function's head, is an error of all uses in the
      // paragraph.
      let concerned = own.isEmpty ? inFile.filter { $0.headLines.contains(line) } : own
      for use in concerned { ofUses[use.name, default: []].append(place.map { String($0.3) } ?? message) }
      if concerned.isEmpty { ofNoUse.append(message) }
    }
  }

  /// Returns true for an error. The text `error:` alone is not enough, since source code that the compiler quotes may
  /// contain it.
  private static func isError(_ line: String) -> Bool {
    let words = line.split(separator: " ", maxSplits: 1)
    return words.first == "error:" || words.count == 2 && words[0].hasSuffix(":") && words[1].hasPrefix("error: ")
  }
}
