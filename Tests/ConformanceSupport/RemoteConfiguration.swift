import PersistenceCore
import SwiftData

/// The configuration of a store that is opened as if it were on a server; see ``RemoteEngine``.
package struct RemoteConfiguration<Base: EngineConfiguration>: EngineConfiguration {
  private var base: Base
  private let link: RemoteLink
  /// The open engine of a simulated other process, to share its rows; nil to open a separate engine.
  private let server: (any StoreEngine)?

  package init(_ base: Base, link: RemoteLink = RemoteLink(), server: (any StoreEngine)? = nil) {
    self.base = base
    self.link = link
    self.server = server
  }

  package var name: String { base.name }

  package var schema: Schema? {
    get { base.schema }
    set { base.schema = newValue }
  }

  package var storeLocation: String { base.storeLocation }

  package var uniquenessPolicy: ModelConfiguration.UniquenessPolicy { base.uniquenessPolicy }

  package var migrationProgress: ModelContainer.MigrationProgress? { base.migrationProgress }

  package func validate() throws { try base.validate() }

  package func openEngine(
    plan: SchemaPlan, migrationPlan: (any SchemaMigrationPlan.Type)?
  ) throws -> any StoreEngine {
    if let server { return RemoteEngine(server, link: link, ownsBase: false) }
    return RemoteEngine(try base.openEngine(plan: plan, migrationPlan: migrationPlan), link: link)
  }

  package static func == (one: Self, other: Self) -> Bool { one.base == other.base && one.link === other.link }

  package func hash(into hasher: inout Hasher) { hasher.combine(base) }
}
