import ConformanceSupport
import SwiftData
import Testing

struct PaperPlace: Codable, Equatable {
  var city: String
  var hint: String?
  var height: Double
}

/// An enum, some of whose raw values have a stored form that differs from their spelling.
enum PaperKind: String, Codable, CaseIterable {
  case cafe = "cafe\u{301}"
  case void = "a\u{0}b"
  case plain
}

/// A `RawRepresentable` type that accepts any text.
struct PaperMark: RawRepresentable, Codable, Equatable {
  var rawValue: String
}

@Model class Paper {
  @Attribute(.unique) var code: String
  var title: String
  var subtitle: String?
  var weight: Double
  var ratio: Float?
  var date: Date
  var place: PaperPlace
  var spare: PaperPlace?
  var kind = PaperKind.plain
  var mark = PaperMark(rawValue: "")
  var tags: [String] = []
  var link: URL?
  var shelf: PaperShelf?

  init(_ code: String, _ title: String = "", weight: Double = 1) {
    self.code = code
    self.title = title
    self.weight = weight
    date = Date(timeIntervalSinceReferenceDate: 1)
    place = PaperPlace(city: "", height: 1)
  }
}

@Model final class Essay: Paper {
  var topic: String
  init(_ code: String, topic: String) {
    self.topic = topic
    super.init(code)
  }
}

@Model final class PaperShelf {
  var name: String
  @Relationship(deleteRule: .cascade, inverse: \Paper.shelf) var papers: [Paper] = []
  init(_ name: String) { self.name = name }
}

let paperModels: [any PersistentModel.Type] = [Paper.self, Essay.self, PaperShelf.self]

extension TestStore {
  /// Creates a store with the schema `paperModels`.
  static func ofPapers(_ engine: Engine) throws -> TestStore { try TestStore(engine, paperModels) }

  /// Fetches the paper with this code in a new context.
  func paper(_ code: String) throws -> Paper { try context().paper(code) }

  /// Saves papers.
  func savePapers(_ papers: Paper...) throws {
    let context = context()
    for paper in papers { context.insert(paper) }
    try context.save()
  }

  /// The original spellings in the file, as texts of table, column and original. Plain SQLite reads them.
  func originals() throws -> [String] {
    try RawDatabase(configuration.url.path).originals(
      "SELECT \"table\", \"column\", original FROM _osd_originals ORDER BY 1, key, 2"
    ).map { $0.map { $0 ?? "NULL" }.joined(separator: ".") }
  }

  func raw() throws -> RawDatabase { try RawDatabase(configuration.url.path) }
}

extension ModelContext {
  func paper(_ code: String) throws -> Paper {
    let found = try fetch(FetchDescriptor<Paper>(predicate: #Predicate { $0.code == code }))
    try #require(found.count == 1, "there are \(found.count) papers '\(code)'")
    return found[0]
  }
}

/// A text that equals another only if both have the same Unicode scalars, unlike `String`.
struct ExactText: Equatable, CustomStringConvertible {
  let text: String
  init(_ text: String) { self.text = text }
  static func == (one: Self, other: Self) -> Bool { one.text.unicodeScalars.elementsEqual(other.text.unicodeScalars) }
  var description: String { text.unicodeScalars.map { String($0.value, radix: 16) }.joined(separator: " ") }
}
