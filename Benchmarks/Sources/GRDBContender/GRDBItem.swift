import BenchmarkCore
import Foundation
import GRDB

/// An item, declared as GRDB's manual recommends for speed.
final class GRDBItem: ItemFields, FetchableRecord, PersistableRecord {
  static let databaseTableName = "item"

  /// The columns in the order in which ``init(row:)`` reads them.
  static var databaseSelection: [any SQLSelectable] {
    ["id", "name", "title", "body", "count", "score", "created", "note"].map { Column($0) }
  }

  var id: Int64?
  var name: String
  var title: String
  var body: String
  var count: Int
  var score: Double
  var created: Date
  var note: String?

  init(_ values: ItemValues) {
    name = values.name
    title = values.title
    body = values.body
    count = values.count
    score = values.score
    created = values.created
    note = values.note
  }

  init(row: Row) {
    id = row[0]
    name = row[1]
    title = row[2]
    body = row[3]
    count = row[4]
    score = row[5]
    created = Date(timeIntervalSinceReferenceDate: row[6])
    note = row[7]
  }

  func encode(to container: inout PersistenceContainer) {
    container["id"] = id
    container["name"] = name
    container["title"] = title
    container["body"] = body
    container["count"] = count
    container["score"] = score
    container["created"] = created.timeIntervalSinceReferenceDate
    container["note"] = note
  }

  func didInsert(_ inserted: InsertionSuccess) {
    id = inserted.rowID
  }
}
