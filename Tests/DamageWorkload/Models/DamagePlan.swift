import SwiftData

/// A migration plan with a custom stage from version 1 to version 2, and a lightweight stage from version 2 to version
/// 3.
package enum DamagePlan: SchemaMigrationPlan {
  package static var schemas: [any VersionedSchema.Type] { [DamageV1.self, DamageV2.self, DamageV3.self] }

  package static var stages: [MigrationStage] {
    [
      .custom(
        fromVersion: DamageV1.self, toVersion: DamageV2.self, willMigrate: renameTags, didMigrate: countPages),
      .lightweight(fromVersion: DamageV2.self, toVersion: DamageV3.self),
    ]
  }

  /// Appends a number to a tag's word if an earlier tag has the same word. Also changes each sample.
  @Sendable private static func renameTags(_ context: ModelContext) throws {
    var words: Set<String> = []
    for tag in try context.fetch(FetchDescriptor<DamageV1.Tag>()) where !words.insert(tag.word).inserted {
      tag.word += " \(tag.books.count)"
    }
    for sample in try context.fetch(FetchDescriptor<DamageV1.Sample>(sortBy: [SortDescriptor(\.code)])) {
      sample.names.append(sample.name)
    }
    try context.save()
  }

  @Sendable private static func countPages(_ context: ModelContext) throws {
    for author in try context.fetch(FetchDescriptor<DamageV2.Author>()) {
      for book in author.books { author.age = max(author.age, book.pages) }
    }
    for sample in try context.fetch(FetchDescriptor<DamageV2.Sample>()) { sample.title += "!" }
    try context.save()
  }
}
