import Foundation
import PersistenceRuntime
import PersistenceSchemas
import PersistenceSupport

/// Takes values out of one envelope and puts them into another.
struct EnvelopeChange {
  private let old: Envelope?
  private let new: Envelope?
  private let cipher: (any ValueCipher)?
  private let files: MigratedFiles

  init(from old: Envelope?, to new: Envelope?, cipher: (any ValueCipher)?, files: MigratedFiles) {
    self.old = old
    self.new = new
    self.cipher = cipher
    self.files = files
  }

  /// What the column holds in the new envelope.
  func changed(_ stored: StoredValue) throws -> StoredValue {
    let value = try opened(stored)
    guard let new else { return value }
    guard new.isEncrypted else { return try placed(value) }
    let sealed = try value.packed.withUnsafeBytes {
      try key().seal($0, entity: new.entity, property: new.property)
    }
    return try placed(.blob(sealed))
  }

  private func opened(_ stored: StoredValue) throws -> StoredValue {
    var value = stored
    if old?.isExternal == true, case .text(let reference) = stored { value = .blob(try files.take(reference)) }
    guard let old, old.isEncrypted else { return value }
    guard case .blob(let bytes) = value else { throw corrupt(old, nil) }
    let packed: Data
    do {
      packed = try bytes.withUnsafeBytes { try key().open($0, entity: old.entity, property: old.property) }
    } catch let error as SwiftDataError {
      throw error
    } catch {
      throw corrupt(old, error)
    }
    guard let value = StoredValue(packed: packed) else { throw corrupt(old, nil) }
    return value
  }

  private func placed(_ value: StoredValue) throws -> StoredValue {
    guard new?.isExternal == true, case .blob(let bytes) = value, bytes.count > ExternalTransaction.largestInline
    else { return value }
    return .text(try files.keep(bytes))
  }

  private func key() throws -> any ValueCipher {
    guard let cipher else { throw SwiftDataError(.encryptionKeyMissing) }
    return cipher
  }

  private func corrupt(_ envelope: Envelope, _ error: (any Error)?) -> SwiftDataError {
    SwiftDataError(
      .corruptValue,
      "a value of \(envelope.entity).\(envelope.property) was changed, or is not encrypted with the store's key; restore "
        + "the store from a backup", underlying: error)
  }
}
