import PersistenceRuntime
import PersistenceSchemas
import PersistenceSupport

/// A version of Unicode. The stored form of texts depends on it.
package struct UnicodeVersion: Sendable, Hashable, Comparable {
  package let major: Int
  package let minor: Int

  package init(_ major: Int, _ minor: Int = 0) {
    (self.major, self.minor) = (major, minor)
  }

  /// - Parameter text: A version such as `17` or `15.1`. The result is nil if the text has another format.
  package init?(_ text: String) {
    guard let point = text.utf8.firstIndex(of: UInt8(ascii: ".")) else {
      guard let major = Self.number(text[...]) else { return nil }
      self.init(major)
      return
    }
    guard let major = Self.number(text[..<point]), let minor = Self.number(text[text.utf8.index(after: point)...])
    else { return nil }
    self.init(major, minor)
  }

  private static func number(_ text: Substring) -> Int? {
    text.utf8.allSatisfy { 48...57 ~= $0 } ? Int(text) : nil
  }

  /// The Unicode version of the running standard library.
  package static let current = UnicodeVersion(StoredText.unicodeVersion) ?? UnicodeVersion(0)

  package static func < (lhs: UnicodeVersion, rhs: UnicodeVersion) -> Bool {
    (lhs.major, lhs.minor) < (rhs.major, rhs.minor)
  }

  /// Whether a text has a scalar that was assigned in a later version, so that its normal form may have changed.
  package func isOlder(than text: String) -> Bool {
    text.unicodeScalars.contains { scalar in
      // Below U+0300, there are no combining marks, and no scalars have been assigned for a long time.
      guard scalar.value >= 0x300, let age = scalar.properties.age else { return false }
      return (age.major, age.minor) > (major, minor)
    }
  }
}

extension UnicodeVersion: CustomStringConvertible {
  package var description: String { minor == 0 ? "\(major)" : "\(major).\(minor)" }
}

extension UnicodeVersion {
  /// The error to throw if a text must be unique, but equals another one by the running library's Unicode version.
  ///
  /// - Parameters:
  ///   - stored: The text, in its stored form by the running library's version.
  ///   - path: The location of the store.
  ///   - cause: The error that the database has thrown.
  package func ambiguity(
    of stored: String, in table: TableMapping, _ column: TextColumn, key: Int64, path: String, cause: any Error
  ) -> SwiftDataError {
    SwiftDataError(
      .modelValidationFailure,
      "The store at \(path) has its texts by Unicode \(self). \(column.name) of row \(key) of \(table.entity.name), "
        + "'\(stored)', is by Unicode \(UnicodeVersion.current) the same text as that of another row, and must be unique. "
        + "Change one of them with the version that wrote the store, or with another program; nothing has been changed.",
      underlying: cause)
  }
}

/// A text column of a table.
package struct TextColumn: Sendable {
  package let name: String
  /// Whether reads restore a text's original scalars. False for class names and raw values: stored forms are compared.
  package let keepsOriginals: Bool
}

extension TableMapping {
  /// The columns that contain texts in stored form, of all entities in the table.
  package var textColumns: [TextColumn] {
    let texts = declaredProperties.flatMap { table, property -> [TextColumn] in
      zip(property.columns, table.columns(of: property.position)).compactMap { layout, column in
        guard column.format == .text else { return nil }
        return TextColumn(name: column.name, keepsOriginals: !property.isRawValue(at: layout.path))
      }
    }
    guard entity.inheritance != nil else { return texts }
    return [TextColumn(name: DatabaseMapping.entityColumn, keepsOriginals: false)] + texts
  }
}

extension PropertyLayout {
  /// Whether the column at a path contains raw values of an enum.
  fileprivate func isRawValue(at path: [String]) -> Bool {
    attribute.map { AttributeForm($0) }?.isRawValue(at: path.dropFirst()) ?? false
  }
}

extension AttributeForm {
  fileprivate func isRawValue(at path: ArraySlice<String>) -> Bool {
    guard let name = path.first else { return type.rawName != nil }
    return members?.first { $0.name == name }?.isRawValue(at: path.dropFirst()) ?? false
  }
}
