import BenchmarkCore
import GRDB

/// A parent, declared as GRDB's manual recommends for speed.
final class GRDBParent: FetchableRecord, PersistableRecord {
  static let databaseTableName = "parent"
  static var databaseSelection: [any SQLSelectable] { [Column("id"), Column("name")] }

  var id: Int64?
  var name: String

  init(name: String) {
    self.name = name
  }

  init(row: Row) {
    id = row[0]
    name = row[1]
  }

  func encode(to container: inout PersistenceContainer) {
    container["id"] = id
    container["name"] = name
  }

  func didInsert(_ inserted: InsertionSuccess) {
    id = inserted.rowID
  }
}

/// A child, declared as GRDB's manual recommends for speed.
final class GRDBChild: ChildFields, FetchableRecord, PersistableRecord {
  static let databaseTableName = "child"
  static var databaseSelection: [any SQLSelectable] {
    ["id", "name", "number", "parent"].map { Column($0) }
  }

  var id: Int64?
  var name: String
  var number: Int
  var parent: Int64?

  init(_ values: ChildValues) {
    name = values.name
    number = values.number
  }

  init(row: Row) {
    id = row[0]
    name = row[1]
    number = row[2]
    parent = row[3]
  }

  func encode(to container: inout PersistenceContainer) {
    container["id"] = id
    container["name"] = name
    container["number"] = number
    container["parent"] = parent
  }

  func didInsert(_ inserted: InsertionSuccess) {
    id = inserted.rowID
  }
}

/// A parent with its children.
struct GRDBFamily {
  let parent: GRDBParent
  let children: [GRDBChild]
}
