/// A key that a row was to have and does not get, because it became an existing row.
package struct RedirectedKey: Sendable {
  package let old: Int64
  package let new: Int64

  package init(old: Int64, new: Int64) {
    self.old = old
    self.new = new
  }
}

/// The row that an upsert inserted or updated.
package struct UpsertedRow: Sendable {
  package let key: Int64
  /// The name of the row's entity in a hierarchy; else nil.
  package let entityName: String?

  package init(key: Int64, entityName: String? = nil) {
    self.key = key
    self.entityName = entityName
  }
}
