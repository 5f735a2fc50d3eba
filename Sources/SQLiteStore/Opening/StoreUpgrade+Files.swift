import Foundation
import PersistenceRuntime
import PersistenceSchemas
import PersistenceSupport
import SQLEngine

/// To format 3. Where a rule of a superclass names a property with values in files, the rows of subclasses referred to
/// files, so that the rule compared references.
extension StoreUpgrade {
  /// A column of the rows of one entity.
  private struct Place {
    let table: TableMapping
    let property: String
    let column: String
  }

  /// Puts values that a rule needs into their rows.
  func takeValuesOutOfFiles(_ files: MigratedFiles) throws {
    for place in try places() {
      for (key, reference) in try references(in: place) {
        try put(try files.take(reference), into: place, key: key)
      }
    }
  }

  /// Checks that the store can be read without an upgrade.
  ///
  /// - Throws: `SwiftDataError.storeReadOnly` if a row refers to a file where it is read as if it had the value.
  func requireReadable() throws {
    guard format < 3 else { return }
    for place in try places() where try !references(in: place).isEmpty {
      throw SwiftDataError(
        .storeReadOnly,
        "The store at \(path) has format \(format), in which \(place.table.entity.name).\(place.property) has values in "
          + "files that have to be in their rows. Open it once with allowsSave; it has not been changed.")
    }
  }

  private func places() throws -> [Place] {
    // A store that is only read keeps its format: decoding its schema would delay each opening.
    guard schemaJSON.contains("\"\(Schema.Attribute.Option.externalStorage.text)\"") else { return [] }
    let stored = try MigrationSchema(storedJSON: schemaJSON, path: path)
    let misplaced = stored.schema.misplacedProperties
    guard !misplaced.isEmpty else { return [] }
    var found: [Place] = []
    for table in SQLiteDialect.mapping(of: stored.layouts).tables {
      for property in table.entity.properties
      where misplaced.contains(where: { $0.entity == table.entity.name && $0.property == property.name }) {
        found += table.columns(of: property.position).map { column in
          Place(table: table, property: property.name, column: column.name)
        }
      }
    }
    return found
  }

  private func references(in place: Place) throws -> [(key: Int64, reference: String)] {
    let dialect = SQLiteDialect()
    let (key, column) = (dialect.quoted(DatabaseMapping.keyColumn), dialect.quoted(place.column))
    let statement = try SQLiteStatement(
      "SELECT \(key), \(column) FROM \(dialect.quoted(place.table.name)) "
        + "WHERE \(dialect.quoted(DatabaseMapping.entityColumn)) = ?1 AND \(dialect.isExternalReference(column))",
      on: handle)
    try statement.bind(place.table.entity.name, at: 1)
    var found: [(key: Int64, reference: String)] = []
    while try statement.step() { found.append((key: statement.integer(0), reference: statement.text(1) ?? "")) }
    return found
  }

  private func put(_ bytes: Data, into place: Place, key: Int64) throws {
    let dialect = SQLiteDialect()
    let update = try SQLiteStatement(
      "UPDATE \(dialect.quoted(place.table.name)) SET \(dialect.quoted(place.column)) = ?1 "
        + "WHERE \(dialect.quoted(DatabaseMapping.keyColumn)) = ?2", on: handle)
    try update.bind(StoredValue.blob(bytes), at: 1)
    try update.bind(key, at: 2)
    do {
      try update.run()
    } catch let error as SwiftDataError {
      guard let cause = error.underlyingError as? SQLiteError, SQLiteConstraint.isUniqueness(cause.code) else {
        throw error
      }
      let name = "\(place.table.entity.name).\(place.property)"
      throw SwiftDataError(
        .modelValidationFailure,
        "The store at \(path) has format \(format), in which values of \(name) in files were unique by their files. The "
          + "value of row \(key) is that of another row too. Change one of them with the version that wrote the store; "
          + "it has not been changed.",
        underlying: cause)
    }
  }
}
