import SwiftData

/// Opens the stores that are to be damaged, or have been.
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
    // The plan ends with the third version, and leads to no other.
    let plan = version == DamageV3.self ? DamagePlan.self : nil
    return try ModelContainer(for: schema, migrationPlan: plan, configurations: [configuration])
  }
}
