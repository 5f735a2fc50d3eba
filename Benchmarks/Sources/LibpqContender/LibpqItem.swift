#if PostgreSQL
  import BenchmarkCore
  import Foundation

  /// The hand-written class of an item, with a typed field for each column.
  final class LibpqItem: ItemFields {
    /// The columns in the order in which ``init(row:)`` reads them.
    static let columns = "id, name, title, body, count, score, created, note"

    var id: Int64
    var name: String
    var title: String
    var body: String
    var count: Int
    var score: Double
    var created: Date
    var note: String?

    init(_ values: ItemValues) {
      id = 0
      name = values.name
      title = values.title
      body = values.body
      count = values.count
      score = values.score
      created = values.created
      note = values.note
    }

    @inline(__always)
    init(row: LibpqRow) {
      id = row.integer(0)
      name = row.text(1)
      title = row.text(2)
      body = row.text(3)
      count = Int(row.integer(4))
      score = row.double(5)
      created = Date(timeIntervalSinceReferenceDate: row.double(6))
      note = row.optionalText(7)
    }

    /// Appends the item's row without the identifier, which the server generates.
    @inline(__always)
    func write(to copy: inout LibpqCopy) throws {
      try copy.beginRow(columns: 7)
      copy.append(&name)
      copy.append(&title)
      copy.append(&body)
      copy.append(Int64(count))
      copy.append(score)
      copy.append(created.timeIntervalSinceReferenceDate)
      copy.append(&note)
    }

    /// The table and key of the item's row. Hand-written code puts these into a set that may contain rows of several
    /// tables.
    var reference: LibpqReference { LibpqReference(table: "item", key: id) }
  }

  /// The table and key of a row.
  struct LibpqReference: Hashable {
    let table: String
    let key: Int64
  }

  /// An item as a structure, with the columns of ``LibpqItem``.
  struct LibpqItemValue: ItemFields {
    var id: Int64
    var name: String
    var title: String
    var body: String
    var count: Int
    var score: Double
    var created: Date
    var note: String?

    @inline(__always)
    init(row: LibpqRow) {
      id = row.integer(0)
      name = row.text(1)
      title = row.text(2)
      body = row.text(3)
      count = Int(row.integer(4))
      score = row.double(5)
      created = Date(timeIntervalSinceReferenceDate: row.double(6))
      note = row.optionalText(7)
    }
  }
#endif
