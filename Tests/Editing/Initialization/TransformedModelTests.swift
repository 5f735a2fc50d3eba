import Foundation
import SwiftData
import Testing

/// An attribute whose type is a model, and that a value transformer stores. It is no relationship, but the macro cannot
/// see this, so the generated setter is the one that relationships use.
@Suite("A model as a transformed attribute")
struct TransformedModelTests {
  @Test("the attribute can be set, replaced and set to nil before it is saved")
  func unsaved() {
    let excursion = Excursion()
    #expect(excursion.guide == nil)
    let (first, second) = (Guide("first"), Guide("second"))
    excursion.guide = first
    #expect(excursion.guide === first)
    excursion.guide = second
    #expect(excursion.guide === second)
    excursion.guide = nil
    #expect(excursion.guide == nil)
  }
}

@Model private final class Excursion {
  @Attribute(.transformable(by: GuideTransformer.self)) var guide: Guide?
  init() {}
}

@Model private final class Guide {
  var name: String
  init(_ name: String) { self.name = name }
}

private final class GuideTransformer: ValueTransformer, @unchecked Sendable {
  override func transformedValue(_ value: Any?) -> Any? { (value as? Guide).map { Data($0.name.utf8) } }

  override func reverseTransformedValue(_ value: Any?) -> Any? {
    (value as? Data).map { Guide(String(decoding: $0, as: UTF8.self)) }
  }
}
