import Foundation
import PersistenceRuntime
import PersistenceSchemas
import PersistenceSupport

// The errors about rows that a migration cannot migrate.

/// A foreign key to a row that does not exist.
package struct BrokenReference: CustomStringConvertible {
  package let table: String
  package let column: String
  package let key: Int64
  package let parent: String

  package init(table: String, column: String, key: Int64, parent: String) {
    (self.table, self.column, self.key, self.parent) = (table, column, key, parent)
  }

  package var description: String { "\(table).\(column) of row \(key), to \(parent)" }
}

extension [BrokenReference] {
  /// Lists the first five references, and the number of the others, for an error message.
  package var words: String {
    prefix(5).map(\.description).joined(separator: "; ") + (count > 5 ? " and \(count - 5) more" : "")
  }

  /// The error to throw if a migration would leave these references in the store.
  package var migrationError: SwiftDataError {
    SwiftDataError(
      .modelValidationFailure,
      "\(words) lead to nothing. Set these references in a stage, or make the relationships optional.")
  }
}

extension UniquenessTest {
  /// The error to throw if rows have the same unique values.
  ///
  /// - Parameters:
  ///   - rows: The rows that the query ``duplicates`` has returned.
  ///   - cause: The error that the database has thrown.
  package func error(_ rows: [[StoredValue]], cause: (any Error)?) -> SwiftDataError {
    let found = rows.few { values in
      "\(values.dropLast().map(\.words).joined(separator: ", ")) (\(values.last?.words ?? "") times)"
    }
    return SwiftDataError(
      .modelValidationFailure,
      "\(entity) is to be unique by \(columns.joined(separator: ", ")), and these values are there several times: \(found). "
        + "Change or delete all but one of each in willMigrate of a .custom stage.",
      underlying: cause)
  }
}

extension RowRefusal {
  /// The error to throw for the rows that ``query`` has returned; nil if it has returned none.
  package func error(_ rows: [[StoredValue]]) -> SwiftDataError? {
    guard !rows.isEmpty else { return nil }
    let found = rows.few { "\($0.dropFirst().first?.words ?? "nil") in row \($0.first?.words ?? "")" }
    return SwiftDataError(.modelValidationFailure, message.replacing("%", with: found))
  }
}

extension [[StoredValue]] {
  /// The text of the first five rows.
  fileprivate func few(_ text: ([StoredValue]) -> String) -> String {
    prefix(5).map(text).joined(separator: "; ") + (count > 5 ? "; and more" : "")
  }
}

extension StoredValue {
  /// The value as text for an error message.
  fileprivate var words: String {
    switch self {
    case .null: "nil"
    case .integer(let number): "\(number)"
    case .real(let number): "\(number)"
    case .text(let text): "\"\(text)\""
    case .blob(let data):
      data.count == 16
        ? unsafe UUID(uuid: data.withUnsafeBytes { unsafe $0.loadUnaligned(as: uuid_t.self) }).uuidString
        : "\(data.count) bytes"
    }
  }
}
