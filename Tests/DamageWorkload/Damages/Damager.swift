import SeededNumbers
import SwiftData

/// Damages a store at random. The same seed and the same case number damage it in the same way.
package struct Damager {
  var generator: SeededGenerator
  let folder: URL
  let definitions: RelaxedStore
  /// Descriptions of the changes that were made, for the output of the process.
  package private(set) var words: [String] = []

  package init(_ folder: URL, _ definitions: RelaxedStore, seed: UInt64, number: Int) {
    self.folder = folder
    self.definitions = definitions
    generator = SeededGenerator(seed: seed &+ UInt64(bitPattern: Int64(number)) &* 0x9E37_79B9)
  }

  var path: String { folder.appending(path: DamageStore.fileName).path }

  /// Damages the store without constraints in the folder in one or several ways, and then restores its constraints.
  package mutating func damage() throws {
    let count = [1, 1, 1, 2, 3, 6].randomElement(using: &generator) ?? 1
    let kinds = (0..<count).map { _ in Kind.weighted.randomElement(using: &generator) ?? .values }
    // SQLite may detect the first damage and return an error, so the remaining changes may fail.
    do { try changeRows(kinds) } catch { note("failed: \(error)") }
    do { try definitions.restore(path) } catch { note("restoring failed: \(error)") }
    for kind in kinds where kind == .definitions { attempt(kind) { try $0.changeDefinitions() } }
    for kind in kinds where kind.isOfFiles { attempt(kind) { try $0.changeFiles(kind) } }
  }

  private mutating func changeRows(_ kinds: [Kind]) throws {
    let store = try RawStore(path)
    try store.run("BEGIN")
    for kind in kinds where kind.isOfRows { attempt(kind) { try $0.change(kind, in: store) } }
    try store.run("COMMIT")
  }

  /// Tries to damage the store. A kind of damage may be impossible in this store; its error is only printed.
  private mutating func attempt(_ kind: Kind, _ body: (inout Self) throws -> Void) {
    do { try body(&self) } catch { note("\(kind) failed: \(error)") }
  }

  mutating func note(_ text: String) { words.append(text) }

  private mutating func change(_ kind: Kind, in store: RawStore) throws {
    switch kind {
    case .values: try changeValues(in: store)
    case .column: try changeColumn(in: store)
    case .keys: try changeKeys(in: store)
    case .rows: try insertRow(in: store)
    case .removals: try removeRows(in: store)
    case .references: try changeReferences(in: store)
    case .metadata: try changeMetadata(in: store)
    default: break
    }
  }

  /// Returns a random number in a range, or 0 if the range is empty.
  mutating func number(_ range: Range<Int>) -> Int { range.randomElement(using: &generator) ?? 0 }

  mutating func chance(_ divisor: Int) -> Bool { number(0..<divisor) == 0 }

  mutating func pick<Element>(_ elements: some Collection<Element>) -> Element? {
    elements.randomElement(using: &generator)
  }
}

extension Damager {
  enum Kind: CaseIterable {
    case values, column, keys, rows, removals, references, metadata, definitions, header, bytes, log, externalFiles

    var isOfRows: Bool { !isOfFiles && self != .definitions }

    var isOfFiles: Bool { [.header, .bytes, .log, .externalFiles].contains(self) }

    /// Each kind of damage, repeated as often as it is likely to find errors in the library.
    static let weighted: [Kind] = allCases.flatMap { kind in
      let count =
        switch kind {
        case .values: 8
        case .column, .references, .metadata: 4
        case .keys, .rows, .definitions, .bytes: 2
        case .removals, .header, .log, .externalFiles: 1
        }
      return Array(repeating: kind, count: count)
    }
  }
}
