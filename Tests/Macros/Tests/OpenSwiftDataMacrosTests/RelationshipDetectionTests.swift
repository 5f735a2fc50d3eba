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

  @Test(
    "The schema is told of types with names of values that are handled as models",
    arguments: [
      ("var other: Models.Date?", true), ("var other: [Models.Date]", true), ("var other: Models.Other?", false),
      ("var other: Date?", false), ("@Relationship var other: Models.Date?", false), ("let other: Models.Date", false),
    ])
  func relatable(property: String, isMarked: Bool) {
    let expanded = expand("@Model final class Trip { \(property); init() {} }")
    #expect(expanded.contains("._$relatable()") == isMarked)
  }
}
