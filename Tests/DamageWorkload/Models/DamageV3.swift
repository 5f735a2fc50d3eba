import SwiftData

/// Version 3, the last one. A lightweight stage from version 2 changes columns of one entity.
package enum DamageV3: VersionedSchema {
  package static let versionIdentifier = Schema.Version(3, 0, 0)
  package static var models: [any PersistentModel.Type] { DamageV2.common + DamageV2.sealed + [Measure.self] }

  @Model package final class Measure {
    #Index<Measure>([\.total])
    @Attribute(originalName: "count") package var total: Double
    package var weight: Double?
    package var note: String
    package var tags: [String] = []
    package var point: Point?
    package var amount: Decimal = 0
    package var chart: Data?
    package init(_ count: Double, _ weight: Double, _ note: String) {
      (self.total, self.weight, self.note) = (count, weight, note)
    }
  }
}
