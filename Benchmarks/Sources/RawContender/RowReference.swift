/// The table and key of a row, which hand-written code keeps in a set with rows of several tables.
struct RowReference: Hashable {
  let table: String
  let key: Int64
}

extension RawItem {
  /// The table and key of the object's row.
  var reference: RowReference { RowReference(table: "item", key: id) }
}
