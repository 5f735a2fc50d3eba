import Foundation
import SwiftData

// MARK: 5.1 ModelContainer

func containers(
  _ container: ModelContainer, _ schema: Schema, _ hasher: inout Hasher
) throws {
  let _: any Equatable.Type = ModelContainer.self  // use: ModelContainer: Equatable
  let _: any Sendable.Type = ModelContainer.self  // use: ModelContainer: Sendable
  let _: Schema = container.schema  // use: ModelContainer.schema
  let _: (any SchemaMigrationPlan.Type)? = container.migrationPlan  // use: ModelContainer.migrationPlan
  container.configurations = Set<ModelConfiguration>()  // use: ModelContainer.configurations
  let _: Bool = container == container  // use: ModelContainer.==(_:_:)
  container.deleteAllData()  // use: ModelContainer.deleteAllData()
  try container.erase()  // use: ModelContainer.erase()
}

// use: ModelContainer.storeIdentifier(forConfigurationNamed:)
func storeIdentifier(_ container: ModelContainer) -> String? { container.storeIdentifier(forConfigurationNamed: "a") }

// use: ModelContainer.configurationName(forStoreIdentifier:)
func configurationName(_ container: ModelContainer) -> String? { container.configurationName(forStoreIdentifier: "a") }

// use: ModelContainer.mainContext
@MainActor func mainContext(_ container: ModelContainer) -> ModelContext { container.mainContext }

// use: ModelContainer.init(for:migrationPlan:configurations:) of types
func typesAndPlan(_ one: ModelConfiguration) throws -> ModelContainer {
  try ModelContainer(for: Trip.self, Stop.self, migrationPlan: TripsPlan.self, configurations: one, one)
}

// use: ModelContainer.init(for:migrationPlan:configurations:) of a schema
func schemaAndPlan(_ schema: Schema, _ one: ModelConfiguration) throws -> ModelContainer {
  try ModelContainer(for: schema, migrationPlan: TripsPlan.self, configurations: one, one)
}

// use: ModelContainer.init(for:migrationPlan:configurations:) of a schema and an array
func schemaAndArray(_ schema: Schema, _ one: ModelConfiguration) throws -> ModelContainer {
  try ModelContainer(for: schema, migrationPlan: TripsPlan.self, configurations: [one])
}

// use: ModelContainer.init(for:configurations:) of types
func typesAndStores(_ one: any DataStoreConfiguration) throws -> ModelContainer {
  try ModelContainer(for: Trip.self, Stop.self, configurations: one, one)
}

// use: ModelContainer.init(for:configurations:) of a schema
func schemaAndStores(_ schema: Schema, _ one: any DataStoreConfiguration) throws -> ModelContainer {
  try ModelContainer(for: schema, configurations: [one])
}

// MARK: 5.2 ModelConfiguration

func configurations(_ configuration: inout ModelConfiguration, _ schema: Schema, _ hasher: inout Hasher) throws {
  let _: any Identifiable.Type = ModelConfiguration.self  // use: ModelConfiguration: Identifiable
  let _: any Hashable.Type = ModelConfiguration.self  // use: ModelConfiguration: Hashable
  // use: ModelConfiguration: CustomDebugStringConvertible
  let _: any CustomDebugStringConvertible = configuration as ModelConfiguration
  let _: any Sendable.Type = ModelConfiguration.self  // use: ModelConfiguration: Sendable
  // use: ModelConfiguration: DataStoreConfiguration
  let _: any DataStoreConfiguration = configuration as ModelConfiguration
  let _: URL = configuration.url  // use: ModelConfiguration.url
  let _: String = configuration.name  // use: ModelConfiguration.name
  let _: String? = configuration.groupAppContainerIdentifier  // use: ModelConfiguration.groupAppContainerIdentifier
  let _: String? = configuration.cloudKitContainerIdentifier  // use: ModelConfiguration.cloudKitContainerIdentifier
  let _: ModelConfiguration.GroupContainer = configuration.groupContainer  // use: ModelConfiguration.groupContainer
  // use: ModelConfiguration.cloudKitDatabase
  let _: ModelConfiguration.CloudKitDatabase = configuration.cloudKitDatabase
  configuration.schema = schema as Schema?  // use: ModelConfiguration.schema
  let _: Bool = configuration.allowsSave  // use: ModelConfiguration.allowsSave
  let _: Bool = configuration.isStoredInMemoryOnly  // use: ModelConfiguration.isStoredInMemoryOnly
  let _: URL = configuration.id  // use: ModelConfiguration.id
  let _: Bool = configuration == configuration  // use: ModelConfiguration.==(_:_:)
  configuration.hash(into: &hasher)  // use: ModelConfiguration.hash(into:)
  let _: String = configuration.debugDescription  // use: ModelConfiguration.debugDescription
  try configuration.validate()  // use: ModelConfiguration.validate()
  let _: DefaultStore.Type = ModelConfiguration.Store.self  // use: ModelConfiguration.Store
  let _: URL.Type = ModelConfiguration.ID.self  // use: ModelConfiguration.ID
}

func parts() {
  // use: ModelConfiguration.CloudKitDatabase: Sendable
  let _: any Sendable.Type = ModelConfiguration.CloudKitDatabase.self
  let _: ModelConfiguration.CloudKitDatabase = .automatic  // use: ModelConfiguration.CloudKitDatabase.automatic
  let _: ModelConfiguration.CloudKitDatabase = .none  // use: ModelConfiguration.CloudKitDatabase.none
  let _: ModelConfiguration.CloudKitDatabase = .private("a")  // use: ModelConfiguration.CloudKitDatabase.private(_:)
  let _: any Sendable.Type = ModelConfiguration.GroupContainer.self  // use: ModelConfiguration.GroupContainer: Sendable
  let _: ModelConfiguration.GroupContainer = .automatic  // use: ModelConfiguration.GroupContainer.automatic
  let _: ModelConfiguration.GroupContainer = .none  // use: ModelConfiguration.GroupContainer.none
  let _: ModelConfiguration.GroupContainer = .identifier("a")  // use: ModelConfiguration.GroupContainer.identifier(_:)
  let _ = ModelConfiguration(isStoredInMemoryOnly: true)  // use: ModelConfiguration.init(isStoredInMemoryOnly:)
}

// use: ModelConfiguration.init(for:isStoredInMemoryOnly:)
func ofTypes() -> ModelConfiguration { ModelConfiguration(for: Trip.self, Stop.self, isStoredInMemoryOnly: true) }

// use: ModelConfiguration.init(_:schema:isStoredInMemoryOnly:allowsSave:groupContainer:cloudKitDatabase:)
func named(_ schema: Schema) -> ModelConfiguration {
  ModelConfiguration(
    "trips", schema: schema, isStoredInMemoryOnly: false, allowsSave: true, groupContainer: .automatic,
    cloudKitDatabase: .none)
}

// use: ModelConfiguration.init(_:schema:url:allowsSave:cloudKitDatabase:)
func placed(_ schema: Schema, _ url: URL) -> ModelConfiguration {
  ModelConfiguration("trips", schema: schema, url: url, allowsSave: true, cloudKitDatabase: .none)
}

// MARK: 5.3 SwiftDataError

func errors(_ error: SwiftDataError, _ other: any Error) {
  let _: any Error.Type = SwiftDataError.self  // use: SwiftDataError: Error
  let _: any Hashable.Type = SwiftDataError.self  // use: SwiftDataError: Hashable
  let _: Bool = SwiftDataError.unknownSchema ~= other  // use: SwiftDataError.~=(_:_:)
  let _: SwiftDataError = .includePendingChangesWithBatchSize  // use: SwiftDataError.includePendingChangesWithBatchSize
  let _: SwiftDataError = .unsupportedPredicate  // use: SwiftDataError.unsupportedPredicate
  let _: SwiftDataError = .unsupportedKeyPath  // use: SwiftDataError.unsupportedKeyPath
  // use: SwiftDataError.sortingPendingChangesWithIdentifiers
  let _: SwiftDataError = .sortingPendingChangesWithIdentifiers
  let _: SwiftDataError = .unsupportedSortDescriptor  // use: SwiftDataError.unsupportedSortDescriptor
  let _: SwiftDataError = .duplicateConfiguration  // use: SwiftDataError.duplicateConfiguration
  let _: SwiftDataError = .configurationFileNameTooLong  // use: SwiftDataError.configurationFileNameTooLong
  // use: SwiftDataError.configurationFileNameContainsInvalidCharacters
  let _: SwiftDataError = .configurationFileNameContainsInvalidCharacters
  // use: SwiftDataError.configurationSchemaNotFoundInContainerSchema
  let _: SwiftDataError = .configurationSchemaNotFoundInContainerSchema
  let _: SwiftDataError = .loadIssueModelContainer  // use: SwiftDataError.loadIssueModelContainer
  let _: SwiftDataError = .modelValidationFailure  // use: SwiftDataError.modelValidationFailure
  let _: SwiftDataError = .missingModelContext  // use: SwiftDataError.missingModelContext
  let _: SwiftDataError = .backwardMigration  // use: SwiftDataError.backwardMigration
  let _: SwiftDataError = .unknownSchema  // use: SwiftDataError.unknownSchema
  let _: SwiftDataError = .historyTokenExpired  // use: SwiftDataError.historyTokenExpired
  let _: SwiftDataError = .invalidTransactionFetchRequest  // use: SwiftDataError.invalidTransactionFetchRequest
}

// MARK: 5.4 VersionedSchema, SchemaMigrationPlan, MigrationStage

func versions<V: VersionedSchema, P: SchemaMigrationPlan>(_ version: V.Type, _ plan: P.Type) {
  let _: any SendableMetatype.Type = V.self as any VersionedSchema.Type  // use: VersionedSchema: SendableMetatype
  let _: [any PersistentModel.Type] = V.models  // use: VersionedSchema.models
  let _: Schema.Version = V.versionIdentifier  // use: VersionedSchema.versionIdentifier
  // use: SchemaMigrationPlan: SendableMetatype
  let _: any SendableMetatype.Type = P.self as any SchemaMigrationPlan.Type
  let _: [any VersionedSchema.Type] = P.schemas  // use: SchemaMigrationPlan.schemas
  let _: [MigrationStage] = P.stages  // use: SchemaMigrationPlan.stages
  let _: any Sendable.Type = MigrationStage.self  // use: MigrationStage: Sendable
}

// use: MigrationStage.lightweight(fromVersion:toVersion:)
func lightweight() -> MigrationStage { .lightweight(fromVersion: TripsV1.self, toVersion: TripsV2.self) }

// use: MigrationStage.custom(fromVersion:toVersion:willMigrate:didMigrate:)
func custom() -> MigrationStage {
  .custom(
    fromVersion: TripsV1.self, toVersion: TripsV2.self, willMigrate: { context in try context.save() },
    didMigrate: { context in try context.save() })
}

// use: MigrationStage (lightweight and custom are all of its cases)
func kind(of stage: MigrationStage) -> String {
  switch stage {
  case .lightweight(let fromVersion, let toVersion): "\(fromVersion) \(toVersion)"
  case .custom(let fromVersion, _, _, let didMigrate): "\(fromVersion) \(didMigrate == nil)"
  }
}
