import Foundation
import SwiftData

/// The JSON files of a store: one for each entity, and one with the identifier of the store.
///
/// A file is read on first use, and again after another program has changed it.
final class EntityFiles {
  /// The models of one entity, in the order in which they were inserted.
  struct Table {
    private(set) var snapshots: [DefaultSnapshot] = []
    private var indexes: [PersistentIdentifier: Int] = [:]

    subscript(identifier: PersistentIdentifier) -> DefaultSnapshot? {
      indexes[identifier].map { snapshots[$0] }
    }

    /// Returns whether the identifier exists already; then nothing has changed.
    mutating func insert(_ snapshot: DefaultSnapshot) -> Bool {
      guard indexes[snapshot.persistentIdentifier] == nil else { return true }
      indexes[snapshot.persistentIdentifier] = snapshots.count
      snapshots.append(snapshot)
      return false
    }

    mutating func update(_ snapshot: DefaultSnapshot) throws {
      guard let index = indexes[snapshot.persistentIdentifier] else {
        throw JSONStoreError.missing(snapshot.persistentIdentifier)
      }
      snapshots[index] = snapshot
    }

    mutating func delete(_ identifiers: Set<PersistentIdentifier>) {
      snapshots.removeAll { identifiers.contains($0.persistentIdentifier) }
      indexes = [:]
      for (index, snapshot) in snapshots.enumerated() { indexes[snapshot.persistentIdentifier] = index }
    }
  }

  /// The changes of a save. No file is changed before the commit.
  struct Change {
    fileprivate(set) var tables: [String: Table] = [:]
    private let files: EntityFiles

    fileprivate init(_ files: EntityFiles) { self.files = files }

    mutating func insert(_ snapshot: DefaultSnapshot) throws {
      let name = snapshot.persistentIdentifier.entityName
      if try change(name, { $0.insert(snapshot) }) {
        throw JSONStoreError.duplicate(snapshot.persistentIdentifier, file: files.url(of: name))
      }
    }

    mutating func update(_ snapshot: DefaultSnapshot) throws {
      try change(snapshot.persistentIdentifier.entityName) { try $0.update(snapshot) }
    }

    mutating func delete(_ identifiers: [PersistentIdentifier]) throws {
      for (name, own) in Dictionary(grouping: identifiers, by: \.entityName) {
        try change(name) { $0.delete(Set(own)) }
      }
    }

    private mutating func change<Result>(_ name: String, _ body: (inout Table) throws -> Result) throws -> Result {
      // Moved out of the dictionary, because a table with two references would be copied for each model.
      var table = try tables.removeValue(forKey: name) ?? files.table(of: name)
      defer { tables[name] = table }
      return try body(&table)
    }
  }

  private let folder: URL
  private var known: [String: (table: Table, date: Date?)] = [:]

  init(in folder: URL) { self.folder = folder }

  /// The identifier of the store, which is created with the store.
  func storeIdentifier() throws -> String {
    let file = folder.appending(component: "store.json")
    if let data = try contents(of: file) { return try decode(String.self, from: data, in: file) }
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    let identifier = UUID().uuidString
    try JSONEncoder().encode(identifier).write(to: file, options: .atomic)
    return identifier
  }

  func url(of entity: String) -> URL { folder.appending(component: "\(entity).json") }

  /// The models of an entity; none without a file.
  func table(of entity: String) throws -> Table {
    let file = url(of: entity)
    let date = date(of: file)
    if let known = known[entity], known.date == date { return known.table }
    var table = Table()
    if let data = try contents(of: file) {
      for snapshot in try decode([DefaultSnapshot].self, from: data, in: file) where table.insert(snapshot) {
        throw JSONStoreError.duplicate(snapshot.persistentIdentifier, file: file)
      }
    }
    known[entity] = (table, date)
    return table
  }

  private func date(of file: URL) -> Date? {
    try? FileManager.default.attributesOfItem(atPath: file.path)[.modificationDate] as? Date
  }

  private func contents(of file: URL) throws -> Data? {
    guard FileManager.default.fileExists(atPath: file.path) else { return nil }
    do { return try Data(contentsOf: file) } catch { throw JSONStoreError.unreadable(file: file, reason: error) }
  }

  private func decode<Value: Decodable>(_ type: Value.Type, from data: Data, in file: URL) throws -> Value {
    let decoder = JSONDecoder()
    decoder.nonConformingFloatDecodingStrategy = .convertFromString(
      positiveInfinity: "inf", negativeInfinity: "-inf", nan: "nan")
    do { return try decoder.decode(type, from: data) } catch {
      throw JSONStoreError.unreadable(file: file, reason: error)
    }
  }

  // MARK: Writing

  func beginChange() -> Change { Change(self) }

  /// Writes each changed file beside the old one first, so that an error leaves all files unchanged. If the process
  /// ends between two of the last steps, only some files are replaced.
  func commit(_ change: Change) throws {
    let encoder = JSONEncoder()
    // A readable form, for people and version control.
    encoder.outputFormatting = [.prettyPrinted, .sortedKeys]
    // JSON has no numbers for these values.
    encoder.nonConformingFloatEncodingStrategy = .convertToString(
      positiveInfinity: "inf", negativeInfinity: "-inf", nan: "nan")
    var written: [(name: String, new: URL)] = []
    do {
      for (name, table) in change.tables.sorted(by: { $0.key < $1.key }) {
        let new = folder.appending(component: ".\(name).json.new")
        written.append((name, new))
        try encoder.encode(table.snapshots).write(to: new)
      }
    } catch {
      for (_, new) in written { try? FileManager.default.removeItem(at: new) }
      throw error
    }
    for (name, new) in written {
      known[name] = nil
      guard rename(new.path, url(of: name).path) == 0 else { throw CocoaError(.fileWriteUnknown) }
      if let table = change.tables[name] { known[name] = (table, date(of: url(of: name))) }
    }
  }

  func erase(_ entities: [String]) throws {
    known = [:]
    for file in entities.map(url) where FileManager.default.fileExists(atPath: file.path) {
      try FileManager.default.removeItem(at: file)
    }
  }
}
