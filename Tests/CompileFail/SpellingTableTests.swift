import Foundation
import Testing

/// Tests the documentation page for programs that were written for SwiftData's betas. The code in the page's rows must
/// occur in programs of the tests.
@Suite("The table of deprecated spellings")
struct SpellingTableTests {
  private struct Row: CustomTestStringConvertible {
    let old: [String]
    let new: [String]

    var testDescription: String { old.joined(separator: ", ") }

    static func all() throws -> [Row] {
      let page = URL(filePath: #filePath).appending(path: "../../../docs/spellings-of-2023.md").standardizedFileURL
      let lines = try String(contentsOf: page, encoding: .utf8).split(separator: "\n")
      return lines.filter { $0.hasPrefix("| `") }.map { line in
        let cells = line.split(separator: "|", omittingEmptySubsequences: true).map(String.init)
        return Row(old: Self.code(in: cells[0]), new: cells.dropFirst().flatMap(Self.code))
      }
    }

    private static func code(in cell: String) -> [String] {
      cell.split(separator: "`", omittingEmptySubsequences: false).enumerated().filter { $0.offset % 2 == 1 }
        .map { String($0.element) }
    }
  }

  /// The code of the given programs, without the comments at their beginning.
  private func source(_ names: String...) throws -> String {
    try Program.all(in: "Programs").filter { names.contains($0.name) }.map { program in
      let text = try String(contentsOf: program.file, encoding: .utf8)
      return text.split(separator: "\n").drop { $0.hasPrefix("//") }.joined(separator: "\n")
    }.joined(separator: "\n")
  }

  @Test("Each old spelling is in a program with expected messages, and each new one in a program without messages")
  func rows() throws {
    let rows = try Row.all()
    #expect(rows.count >= 45)
    let (old, new) = (try source("BetaSpellings", "BetaDeclarations"), try source("TodaySpellings"))
    for row in rows {
      #expect(!row.old.isEmpty && !row.new.isEmpty)
      for code in row.old { #expect(old.contains(code), "\(row)") }
      // The page gives `.transformable(by:)` as a second replacement. The program uses only the first one.
      for code in row.new where code != ".transformable(by:)" { #expect(new.contains(code), "\(row)") }
    }
  }

  @Test("Each message about a renamed declaration has a row")
  func messages() throws {
    let rows = try Row.all().map { ($0.old + $0.new).joined(separator: " ") }.joined(separator: "\n")
    let program = try #require(try Program.all(in: "Programs").first { $0.name == "BetaSpellings" })
    let renamed = try program.expectedErrors.compactMap { error in
      error.range(of: "renamed to '").map { error[$0.upperBound...].prefix { $0 != "(" && $0 != "'" } }
    }
    #expect(renamed.count > 15)
    for name in renamed { #expect(rows.contains(name), "\(name)") }
  }
}
