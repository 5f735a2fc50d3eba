import Foundation

/// Code that uses one declaration of Apple's framework.
///
/// A comment `// use: Schema.version` after code means that this line uses the declaration. Such a comment on a line of
/// its own applies to the lines up to the next such comment or the next blank line. Several such comments in a row
/// apply to the same lines.
struct DeclaredUse {
  /// The declaration that is used.
  let name: String
  let file: String
  /// The numbers of the lines that use the declaration.
  fileprivate(set) var lines: Set<Int> = []
  /// The numbers of the lines on which the use depends, such as the head of its function.
  fileprivate(set) var headLines: Set<Int> = []
  fileprivate(set) var code = ""
  /// The code between the blank lines before and after the use.
  fileprivate(set) var paragraph = ""

  private static let mark = "// use: "

  /// The uses in a source file.
  static func all(in file: URL) throws -> [DeclaredUse] {
    let text = try String(contentsOf: file, encoding: .utf8)
    let lines = text.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
    let paragraphs = lines.enumerated().split { $0.element.isEmpty }
    return paragraphs.flatMap { lines in
      uses(in: lines.map { (number: $0.offset + 1, text: $0.element) }, of: file.lastPathComponent)
    }
  }

  private static func uses(in lines: [(number: Int, text: String)], of file: String) -> [DeclaredUse] {
    var uses: [DeclaredUse] = []
    var (open, head): ([Int], Set<Int>) = ([], [])
    var isAfterMark = false
    for line in lines {
      let parts = line.text.components(separatedBy: mark)
      let code = parts[0].trimmingCharacters(in: .whitespaces)
      if parts.count > 1 {
        if !code.isEmpty || !isAfterMark { open = [] }
        uses.append(DeclaredUse(name: parts[1], file: file))
        open.append(uses.count - 1)
      }
      if open.isEmpty { head.insert(line.number) }
      for index in open where !code.isEmpty {
        uses[index].lines.insert(line.number)
        uses[index].code += code + "\n"
      }
      isAfterMark = code.isEmpty
      // A comment after code applies to its own line only.
      if parts.count > 1, !code.isEmpty { open = [] }
    }
    let paragraph = lines.map { $0.text.components(separatedBy: mark)[0] }.joined(separator: "\n")
    for index in uses.indices {
      uses[index].headLines = head
      uses[index].paragraph = paragraph
    }
    return uses
  }

  /// The words of the declaration's name and labels that do not occur in the code, although code that uses it must
  /// contain them.
  var missingWords: [String] {
    // Text such as ` of an array` only distinguishes overloads with the same name and labels; code does not contain it.
    var signature = name
    for qualifier in [" of ", " by ", " { ", " ("] {
      signature = signature.components(separatedBy: qualifier)[0]
    }
    let sides = signature.components(separatedBy: ": ")
    let subject = Self.words(ofMember: sides[0])
    guard sides.count == 2 else { return subject.filter { !isNamed($0, in: code) } }
    return subject.filter { !isNamed($0, in: paragraph) }
      + Self.words(ofMember: sides[1]).filter { !isNamed($0, in: code) }
  }

  /// Code may call an initialiser by the name of its type. The word of an initialiser therefore has two lines, the
  /// type's name and `init`; the code must contain one of them.
  private func isNamed(_ word: String, in code: String) -> Bool {
    word.split(separator: "\n").contains { code.contains($0) }
  }

  /// The words that code must contain to use a member: its name without the enclosing type, and its labels.
  private static func words(ofMember text: String) -> [String] {
    let parts = text.split(separator: "(", maxSplits: 1)
    let path = parts[0].split(separator: " ").last.map { $0.split(separator: ".") } ?? []
    let labels = parts.dropFirst().flatMap { $0.split { ":)".contains($0) } }.map(String.init).filter { $0 != "_" }
    guard let last = path.last else { return labels }
    switch last {
    case "init": return labels + [path.suffix(2).joined(separator: "\n")]
    case "subscript": return labels + ["["]
    default: return labels + [last.trimmingCharacters(in: CharacterSet(charactersIn: "@#"))].filter { $0 != "Model" }
    }
  }
}
