import PersistenceRuntime
import PersistenceSchemas
import PersistenceSupport

/// Finds the columns whose values in deleted rows cannot be read with the new schema. Either the values are encrypted
/// for a property name that the new schema does not use for the column, or only the old or the new column is encrypted.
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

  /// The name (`Entity.property`) with which the values of each encrypted column are authenticated.
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
