import BenchmarkCore
import Foundation
import GRDB

/// An item as a structure that is decoded by column position, which is the fastest way according to GRDB's manual.
struct GRDBItemValue: ItemFields, FetchableRecord, TableRecord {
  static let databaseTableName = GRDBItem.databaseTableName
  static var databaseSelection: [any SQLSelectable] { GRDBItem.databaseSelection }

  var id: Int64
  var name: String
  var title: String
  var body: String
  var count: Int
  var score: Double
  var created: Date
  var note: String?

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
}
