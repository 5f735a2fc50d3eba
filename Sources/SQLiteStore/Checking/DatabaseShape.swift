import PersistenceRuntime
import SQLEngine

/// The tables, indexes and other objects of a database, for comparing two databases.
struct DatabaseShape {
  struct Part {
    let type: String
    let name: String
    let table: String
    let sql: String
    /// True for a virtual table, whose content is managed by a module of SQLite such as R*Tree.
    let isVirtual: Bool
  }

  struct Column: Hashable {
    let name: String
    let type: String
    let isRequired: Bool
    let isKey: Bool
    let isGenerated: Bool
    let hasDefault: Bool
  }

  struct Reference: Hashable {
    let column: String
    let table: String
    let action: String
  }

  /// All objects that were created with an SQL statement of their own, in the order of creation.
  let objects: [Part]
  private let handle: SQLiteHandle
  private let byName: [String: Part]

  init(of handle: SQLiteHandle) throws {
    self.handle = handle
    let statement = try SQLiteStatement(
      "SELECT type, name, tbl_name, sql, rootpage FROM sqlite_master WHERE sql IS NOT NULL ORDER BY rowid", on: handle)
    var objects: [Part] = []
    while try statement.step() {
      let type = statement.text(0) ?? ""
      objects.append(
        Part(
          type: type, name: statement.text(1) ?? "", table: statement.text(2) ?? "", sql: statement.text(3) ?? "",
          isVirtual: type == "table" && statement.integer(4) == 0))
    }
    self.objects = objects
    byName = Dictionary(objects.map { (Self.folded($0.type, $0.name), $0) }) { first, _ in first }
  }

  func object(like other: Part) -> Part? { byName[Self.folded(other.type, other.name)] }

  /// Whether the table is a shadow table of a virtual table.
  func isShadow(_ object: Part) -> Bool {
    object.type == "table" && objects.contains { $0.isVirtual && object.name.hasPrefix($0.name + "_") }
  }

  private static func folded(_ type: String, _ name: String) -> String { "\(type) \(name.lowercased())" }

  // MARK: Tables

  func columns(of table: String) throws -> [String: Column] {
    var columns: [String: Column] = [:]
    try rows("PRAGMA table_xinfo(\(quoted(table)))") { row in
      let column = Column(
        name: row.text(1) ?? "", type: (row.text(2) ?? "").uppercased(), isRequired: row.integer(3) != 0,
        isKey: row.integer(5) != 0, isGenerated: row.integer(6) > 1, hasDefault: row.text(4) != nil)
      columns[column.name.lowercased()] = column
    }
    return columns
  }

  func references(of table: String) throws -> Set<Reference> {
    var references: Set<Reference> = []
    try rows("PRAGMA foreign_key_list(\(quoted(table)))") { row in
      references.insert(
        Reference(
          column: (row.text(3) ?? "").lowercased(), table: (row.text(2) ?? "").lowercased(), action: row.text(6) ?? ""))
    }
    return references
  }

  /// The columns of each UNIQUE constraint in the table's definition.
  func uniqueColumns(of table: String) throws -> Set<[String]> {
    var names: [String] = []
    try rows("PRAGMA index_list(\(quoted(table)))") { row in
      if row.text(3) == "u", let name = row.text(1) { names.append(name) }
    }
    return try Set(names.map { try indexedColumns(of: $0).map(\.column) })
  }

  /// Whether a link table rejects duplicate pairs. If another program recreated the table, it may lack the constraint.
  static func hasUniquePairs(_ link: LinkTableMapping, in handle: SQLiteHandle) throws -> Bool {
    let statement = try SQLiteStatement(
      "SELECT 1 FROM pragma_index_list(?1) AS i WHERE i.\"unique\" AND NOT i.partial AND (SELECT group_concat(name) FROM "
        + "(SELECT name FROM pragma_index_info(i.name) ORDER BY name)) = ?2", on: handle)
    try statement.bind(.text(link.name), at: 1)
    try statement.bind(.text([link.owner.column, link.target.column].sorted().joined(separator: ",")), at: 2)
    return try statement.step()
  }

  // MARK: Indexes

  struct IndexedColumn: Hashable {
    /// The column's name; empty if the index has an expression instead.
    let column: String
    let isDescending: Bool
    let collation: String
  }

  func indexedColumns(of index: String) throws -> [IndexedColumn] {
    var columns: [IndexedColumn] = []
    try rows("PRAGMA index_xinfo(\(quoted(index)))") { row in
      guard row.integer(5) != 0 else { return }
      columns.append(
        IndexedColumn(
          column: (row.text(2) ?? "").lowercased(), isDescending: row.integer(3) != 0,
          collation: (row.text(4) ?? "").uppercased()))
    }
    return columns
  }

  /// Returns true if two databases have the same index or trigger, even if its SQL is spelled differently.
  func isSame(_ object: Part, as own: Part, of other: DatabaseShape) throws -> Bool {
    if Self.plain(object.sql) == Self.plain(own.sql) { return true }
    guard object.type == "index" else { return false }
    let columns = try other.indexedColumns(of: own.name)
    let isPartial = Self.plain(own.sql).contains(")where") || Self.plain(object.sql).contains(")where")
    guard !isPartial, columns.allSatisfy({ !$0.column.isEmpty }) else { return false }
    return try columns == indexedColumns(of: object.name) && Self.isUnique(own) == Self.isUnique(object)
  }

  private static func isUnique(_ index: Part) -> Bool { plain(index.sql).hasPrefix("createunique") }

  /// SQL without the parts that only differ in spelling: case, white space, quotation marks and IF NOT EXISTS.
  static func plain(_ sql: String) -> String {
    let marks: Set<Character> = ["\"", "`", "[", "]", ";"]
    return sql.lowercased().filter { !$0.isWhitespace && !marks.contains($0) }.replacing("ifnotexists", with: "")
  }

  private func quoted(_ name: String) -> String { SQLiteDialect().quoted(name) }

  private func rows(_ sql: String, _ body: (SQLiteStatement) throws -> Void) throws {
    let statement = try SQLiteStatement(sql, on: handle)
    while try statement.step() { try body(statement) }
  }
}
