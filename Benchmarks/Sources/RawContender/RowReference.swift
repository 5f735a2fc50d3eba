/// Which row of which table: what hand-written code keeps in a set where rows of several tables meet.
struct RowReference: Hashable {
  let table: String
  let key: Int64
}

extension RawItem {
  /// The object's row.
  var reference: RowReference { RowReference(table: "item", key: id) }
}
