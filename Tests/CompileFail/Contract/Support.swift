// Declarations that all files of this folder use. A comment `use:` after code names the declaration of Apple's
// framework that the line uses. On its own line, the comment applies to the lines up to the next blank line.
// `DeclarationTableTests` reads these comments.

import Foundation
import SwiftData

@Model
class Trip {
  var name: String
  var days: Int
  var start: Date?
  var words: [String] = []
  @Relationship(inverse: \Stop.trip) var stops: [Stop] = []
  var notes: [Stop]?
  var guide: Guide?
  var owner: Guide

  init(name: String, days: Int, owner: Guide) {
    self.name = name
    self.days = days
    self.owner = owner
  }
}

@Model
final class Stop {
  var trip: Trip?
  init() {}
}

@Model
final class Guide {
  var latitude = 0.0
  var longitude = 0.0
  init() {}
}

enum TripsV1: VersionedSchema {
  static let versionIdentifier = Schema.Version(1, 0, 0)
  static var models: [any PersistentModel.Type] { [Trip.self, Stop.self, Guide.self] }
}

enum TripsV2: VersionedSchema {
  static let versionIdentifier = Schema.Version(2, 0, 0)
  static var models: [any PersistentModel.Type] { [Trip.self, Stop.self, Guide.self] }
}

enum TripsPlan: SchemaMigrationPlan {
  static var schemas: [any VersionedSchema.Type] { [TripsV1.self, TripsV2.self] }
  static var stages: [MigrationStage] { [] }
}
