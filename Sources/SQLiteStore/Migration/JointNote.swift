import Foundation

/// A note in a store about a joint migration: the migration's identifier, and the path of the store committed last.
///
/// The note is an entry of the store's metadata. The last store lists the identifiers of the migrations that its
/// commits decide, until the other stores have read the outcome.
struct JointNote: Hashable {
  private static let key = "joint migration"
  private static let lastKey = "joint migrations"

  let group: String
  let lastPath: String

  init(group: String, lastPath: String) {
    (self.group, self.lastPath) = (group, lastPath)
  }

  init?(from handle: SQLiteHandle) throws {
    guard let text = try Self.value(of: Self.key, in: handle) else { return nil }
    self.init(text)
  }

  /// - Parameter text: The metadata entry.
  private init?(_ text: String) {
    let parts = text.split(separator: " ", maxSplits: 1).map(String.init)
    guard parts.count == 2 else { return nil }
    self.init(group: parts[0], lastPath: parts[1])
  }

  static func isNote(_ key: String) -> Bool { key == Self.key }

  // MARK: In the stores before the last

  private var text: String { "\(group) \(lastPath)" }

  func write(to handle: SQLiteHandle) throws { try Self.set(text, of: Self.key, in: handle) }

  /// Removes this note, but not another note that was written in the meantime.
  func remove(from handle: SQLiteHandle) throws {
    let statement = try SQLiteStatement(
      "DELETE FROM \(StoreFormat.metadataTable) WHERE key = ?1 AND value = ?2", on: handle)
    try statement.bind(Self.key, at: 1)
    try statement.bind(text, at: 2)
    try statement.run()
  }

  // MARK: In the last store

  /// Lists the migration in the last store, within the transaction whose commit decides the migration.
  func join(_ handle: SQLiteHandle) throws {
    try setGroups(groups(in: handle) + [group], in: handle)
  }

  func leave(_ handle: SQLiteHandle) throws {
    try setGroups(groups(in: handle).filter { $0 != group }, in: handle)
  }

  func isJoined(in handle: SQLiteHandle) throws -> Bool { try groups(in: handle).contains(group) }

  private func groups(in handle: SQLiteHandle) throws -> [String] {
    (try Self.value(of: Self.lastKey, in: handle) ?? "").split(separator: " ").map(String.init)
  }

  private func setGroups(_ groups: [String], in handle: SQLiteHandle) throws {
    try Self.set(groups.isEmpty ? nil : groups.joined(separator: " "), of: Self.lastKey, in: handle)
  }

  // MARK: Metadata

  private static func value(of key: String, in handle: SQLiteHandle) throws -> String? {
    let statement = try SQLiteStatement("SELECT value FROM \(StoreFormat.metadataTable) WHERE key = ?1", on: handle)
    try statement.bind(key, at: 1)
    return try statement.step() ? statement.text(0) : nil
  }

  private static func set(_ value: String?, of key: String, in handle: SQLiteHandle) throws {
    let sql =
      value == nil
      ? "DELETE FROM \(StoreFormat.metadataTable) WHERE key = ?1"
      : "INSERT OR REPLACE INTO \(StoreFormat.metadataTable) VALUES (?1, ?2)"
    let statement = try SQLiteStatement(sql, on: handle)
    try statement.bind(key, at: 1)
    if let value { try statement.bind(value, at: 2) }
    try statement.run()
  }
}
