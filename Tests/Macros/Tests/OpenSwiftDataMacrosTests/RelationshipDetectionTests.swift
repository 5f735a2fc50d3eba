import Testing

/// Generated code changes only those slots of relationships that the source lets be models.
@Suite("Properties that may be relationships")
struct RelationshipDetectionTests {
  private func isRelated(_ property: String) -> Bool {
    expand("@Model final class Trip { \(property); init() {} }").contains("edit.apply(to: self, \\.other, &_other)")
  }

  @Test(
    "A property of a type that may be a model is one, whatever its attribute",
    arguments: [
      "var other: Other?", "@Attribute(originalName: \"former\") var other: Other?",
      "@Attribute(.unique) var other: Other", "@Attribute(.codable) var other: [Other] = []",
      "var other: [Character] = []", "@Relationship var other: Date?",
    ])
  func related(property: String) {
    #expect(isRelated(property))
  }

  @Test(
    "A property that is a value by its source is none",
    arguments: [
      "let other: Other", "var other: Date?", "@Attribute(.unique) var other: UUID", "var other = 1",
      "var other = -1.5", "@Attribute(.encrypt) var other: Other",
      "@Attribute(.transformable(by: Coder.self)) var other: Other",
    ])
  func unrelated(property: String) {
    #expect(!isRelated(property))
  }
}
