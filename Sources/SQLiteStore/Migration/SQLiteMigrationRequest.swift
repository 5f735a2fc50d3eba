import PersistenceRuntime
import PersistenceSchemas
import PersistenceSupport

/// What a store is to do when the schema that it has is not the one that it is opened with.
package struct SQLiteMigrationRequest: Sendable {
  /// The way from the schema that a store has, as JSON; nil when it can be used as it is.
  let route: @Sendable (String) throws -> (any MigrationSteps)?
  /// What decrypts and encrypts values on the way; nil when nothing is encrypted.
  let cipher: @Sendable (any MigrationSteps) throws -> (any ValueCipher)?
  let progress: MigrationProgress?
  /// Whether the store is copied before, until it has been opened once more.
  let keepsBackup: Bool
  /// How long to wait for another process that migrates the store.
  let timeout: Duration

  package init(
    progress: MigrationProgress? = nil, keepsBackup: Bool = false, timeout: Duration = .seconds(600),
    cipher: @escaping @Sendable (any MigrationSteps) throws -> (any ValueCipher)? = { _ in nil },
    route: @escaping @Sendable (String) throws -> (any MigrationSteps)?
  ) {
    self.route = route
    self.cipher = cipher
    self.progress = progress
    self.keepsBackup = keepsBackup
    self.timeout = timeout
  }
}
