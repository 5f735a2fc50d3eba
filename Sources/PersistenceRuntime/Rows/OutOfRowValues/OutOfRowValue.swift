import Foundation
import PersistenceSupport

/// The storage of a property whose plain value is not in the row: the value is in a file, encrypted, or both.
///
/// The column holds ciphertext, the reference of a file, or a small external value itself.
package struct OutOfRowValue: Sendable, Hashable {
  /// Whether large values are stored in files next to the store's file.
  package let isExternal: Bool
  /// Whether the value is encrypted.
  package let isEncrypted: Bool
  /// The entity that declares the property. A value decrypts only for the same entity and property.
  package let entity: String
  package let property: String

  package init(isExternal: Bool, isEncrypted: Bool, entity: String, property: String) {
    self.isExternal = isExternal
    self.isEncrypted = isEncrypted
    self.entity = entity
    self.property = property
  }
}

extension EntityLayout {
  /// How a property's out-of-row value is stored; nil if its column holds the plain value.
  package func outOfRowValue(at position: Int) -> OutOfRowValue? {
    outOfRowValues.indices.contains(position) ? outOfRowValues[position] : nil
  }

  /// Whether any property is encrypted.
  package var hasEncrypted: Bool { outOfRowValues.contains { $0?.isEncrypted == true } }

  /// Whether any property may be stored in files.
  package var hasExternal: Bool { outOfRowValues.contains { $0?.isExternal == true } }
}

extension OutOfRowValue {
  /// Creates the storage form that a property's options request; nil without such options.
  ///
  /// Large values are stored in files only if no rule needs the column: unique or indexed values stay in the column,
  /// and so do values of types other than Data. The option is a hint, the same as Apple's.
  init?(_ metadata: Schema.PropertyMetadata, kind: PropertyKind, type: any Any.Type, of entity: Schema.Entity) {
    guard let attribute = metadata.metadata as? Schema.Attribute, !attribute.isTransient else { return nil }
    guard kind == .attribute || kind == .transformable else { return nil }
    let isBytes = kind == .transformable || type == Data.self
    let isSeen = attribute.isOutOfRow || entity.isWrittenByHand
    let isExternal =
      attribute.options.contains(.externalStorage) && isSeen && isBytes && !entity.isInRule(metadata.name)
    let isEncrypted = attribute.options.contains(.encrypt)
    guard isExternal || isEncrypted else { return nil }
    self.init(
      isExternal: isExternal, isEncrypted: isEncrypted, entity: entity.declaringEntity(of: metadata.name).name,
      property: metadata.name)
  }
}

extension Schema.Entity {
  /// Whether a property is part of a uniqueness rule or an index of the entity or of its superentities.
  package func isInRule(_ name: String) -> Bool {
    ([self] + superentities).contains { ($0.uniquenessConstraints + $0.indices).joined().contains(name) }
  }

  /// Whether the model's conformance is hand-written. Then the schema alone determines how rows are coded,
  /// and the attributes' options need no support by generated code.
  package var isWrittenByHand: Bool { modelType.map { !$0._$isGenerated } ?? false }
}

/// Stores values that are too large for rows, within a transaction.
package protocol ExternalValueWriter: AnyObject {
  /// The greatest number of bytes that stays in the row.
  var largestInline: Int { get }

  /// Stores bytes, and returns the reference to store in the row. It is text, whereas a plain value would be a blob.
  ///
  /// Rolling back the transaction or the enclosing savepoint removes the value.
  func keep(_ bytes: UnsafeRawBufferPointer) throws -> String

  /// The number that the next stored value gets. ``discard(from:)`` removes the values with this or a higher number.
  var mark: Int64 { get }

  /// Removes the values stored since `mark` was read, because their row was not written.
  func discard(from mark: Int64)
}

/// Reads values that are too large for rows.
package protocol ExternalValueReader: Sendable {
  /// Returns the bytes of a reference.
  ///
  /// - Throws: ``UnreadableExternalValue`` if bytes are missing.
  func bytes(of reference: String) throws -> Data
}

/// The progress of re-encrypting a store's values with the current key.
package struct EngineReencryption: Sendable {
  /// The index of the current table among the tables with encrypted values.
  package var table = 0
  /// The least key among the rows of the current table that are still to be visited.
  package var key = Int64.min
  /// The number of rows visited in this pass.
  package var rows = 0
  /// The number of values re-encrypted in this pass.
  package var values = 0
  /// The number of values re-encrypted in all passes.
  package var total = 0
  /// The number of passes. Another pass is needed if another process changed the store meanwhile.
  package var round = 1
  /// The count of other processes' changes to the store at the start of the pass.
  package var foreignChanges: Int64?
  package var isComplete = false

  package init() {}

  /// Starts another pass.
  package mutating func restart() {
    (table, key, rows, values, foreignChanges) = (0, .min, 0, 0, nil)
    round += 1
  }
}
