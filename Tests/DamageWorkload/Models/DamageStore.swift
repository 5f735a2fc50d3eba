import SwiftData

/// Opens containers on the stores of the tests, before and after the damage.
package enum DamageStore {
  package static let fileName = "damaged.store"

  package static func container(
    of version: any VersionedSchema.Type, in folder: URL, allowsSave: Bool = true
  ) throws -> ModelContainer {
    let schema = Schema(versionedSchema: version)
    var configuration = ModelConfiguration(
      schema: schema, url: folder.appending(path: fileName), allowsSave: allowsSave)
    configuration.busyTimeout = .milliseconds(200)
    configuration.migrationTimeout = .seconds(2)
    #if Encryption
      configuration.encryptionKey = ModelConfiguration.EncryptionKey(
        bytes: [UInt8](repeating: 7, count: ModelConfiguration.EncryptionKey.byteCount))
    #endif
    // The migration plan ends with version 3, so only a container of version 3 can use it.
    let plan = version == DamageV3.self ? DamagePlan.self : nil
    return try ModelContainer(for: schema, migrationPlan: plan, configurations: [configuration])
  }
}
