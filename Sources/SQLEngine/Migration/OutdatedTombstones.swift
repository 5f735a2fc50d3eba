import PersistenceRuntime
import PersistenceSchemas
import PersistenceSupport

/// The values of deleted rows that the new schema cannot read after a migration: they are encrypted under another name,
/// or their column is newly encrypted or no longer encrypted.
package struct OutdatedTombstones {
  package struct Column: Hashable, Sendable {
    package let table: String
    package let name: String
  }

  package let columns: Set<Column>

  package init(from before: DatabaseMapping, to after: DatabaseMapping) {
    let former = Self.sealed(in: before, withFormerNames: false)
    let present = Self.sealed(in: after, withFormerNames: true)
    columns = Set(former.keys).union(present.keys).filter { former[$0] != present[$0] }
  }

  /// The name (`Entity.property`) under which the values of each encrypted column are encrypted.
  private static func sealed(in database: DatabaseMapping, withFormerNames: Bool) -> [Column: String] {
    var result: [Column: String] = [:]
    for table in database.tables where !table.isShared {
      for (owner, property) in table.declaredProperties {
        guard let outOfRow = property.outOfRowValue, outOfRow.isEncrypted else { continue }
        var tables = [table.name]
        var former: String?
        if withFormerNames {
          tables.append(StoredText.form(of: table.entity.originalName))
          former = property.attribute.map(\.originalName).flatMap { $0.isEmpty ? nil : StoredText.form(of: $0) }
        }
        for column in owner.columns(of: property.position) {
          var names = [column.name]
          if let former { names.append(former + column.name.dropFirst(property.name.count)) }
          for table in tables {
            for name in names {
              result[Column(table: table, name: name)] = "\(outOfRow.entity).\(outOfRow.property)"
            }
          }
        }
      }
    }
    return result
  }
}
