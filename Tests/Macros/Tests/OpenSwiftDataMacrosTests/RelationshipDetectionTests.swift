import Testing

/// The macro sees only the source, not the types. Generated code treats a property as a relationship if its type may be
/// a model.
@Suite("Properties that may be relationships")
struct RelationshipDetectionTests {
  private func isRelated(_ property: String) -> Bool {
    expand("@Model final class Trip { \(property); init() {} }").contains("edit.apply(to: self, \\.other, &_other)")
  }

  @Test(
    "A property whose type may be a model is treated as a relationship, regardless of its attribute",
    arguments: [
      "var other: Other?", "@Attribute(originalName: \"former\") var other: Other?",
      "@Attribute(.unique) var other: Other", "@Attribute(.codable) var other: [Other] = []",
      "var other: [Character] = []", "@Relationship var other: Date?",
    ])
  func related(property: String) {
    #expect(isRelated(property))
  }

  @Test(
    "A property that is a value according to its source is not treated as a relationship",
    arguments: [
      "let other: Other", "var other: Date?", "@Attribute(.unique) var other: UUID", "var other = 1",
      "var other = -1.5", "@Attribute(.encrypt) var other: Other",
      "@Attribute(.transformable(by: Coder.self)) var other: Other",
    ])
  func unrelated(property: String) {
    #expect(!isRelated(property))
  }

  @Test(
    "A property is marked in the schema if its type may be a model but has the name of a type of values",
    arguments: [
      ("var other: Models.Date?", true), ("var other: [Models.Date]", true), ("var other: Models.Other?", false),
      ("var other: Date?", false), ("@Relationship var other: Models.Date?", false), ("let other: Models.Date", false),
    ])
  func relatable(property: String, isMarked: Bool) {
    let expanded = expand("@Model final class Trip { \(property); init() {} }")
    #expect(expanded.contains("._$relatable()") == isMarked)
  }
}
