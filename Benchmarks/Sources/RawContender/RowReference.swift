/// The table and key of a row. Hand-written code puts these into a set that may contain rows of several tables.
struct RowReference: Hashable {
  let table: String
  let key: Int64
}

extension RawItem {
  /// The table and key of the object's row.
  var reference: RowReference { RowReference(table: "item", key: id) }
}
