import Foundation
import PersistenceCore
import Testing

#if !canImport(Darwin)
  final class ReversingTransformer: ValueTransformer {
    override class func transformedValueClass() -> AnyClass { NSString.self }
    override func transformedValue(_ value: Any?) -> Any? {
      (value as? String).map { String($0.reversed()) }
    }
  }

  @Suite("Value transformers")
  struct ValueTransformerTests {
    @Test(
      "a registered transformer is found by its name; a class finds it only if it is an instance of that class"
    )
    func registration() throws {
      let name = NSValueTransformerName("registration")
      let transformer = ReversingTransformer()
      ValueTransformer.setValueTransformer(transformer, forName: name)
      #expect(ValueTransformer(forName: name) === transformer)
      #expect(ReversingTransformer(forName: name) === transformer)
      #expect(NSSecureUnarchiveFromDataTransformer(forName: name) == nil)
      #expect(ValueTransformer.valueTransformerNames().contains(name))
      ValueTransformer.setValueTransformer(nil, forName: name)
      #expect(ValueTransformer(forName: name) == nil)
    }

    @Test("the reverse transformation is the forward one by default")
    func backwards() {
      #expect(ReversingTransformer().reverseTransformedValue("abc") as? String == "cba")
      #expect(ValueTransformer(forName: .isNilTransformerName)?.transformedValue(nil) as? Bool == true)
      #expect(ValueTransformer(forName: .isNilTransformerName)?.reverseTransformedValue(true) == nil)
      #expect(ValueTransformer(forName: .negateBooleanTransformerName)?.transformedValue(true) as? Bool == false)
    }

    @Test("the secure transformer decodes a value that it has archived")
    func secure() throws {
      let transformer = try #require(ValueTransformer(forName: .secureUnarchiveFromDataTransformerName))
      let data = try #require(transformer.reverseTransformedValue(NSString(string: "abc")))
      #expect(data is Data)
      #expect(transformer.transformedValue(data) as? NSString == NSString(string: "abc"))
    }

    @Test("an attribute finds its transformer by name after the registration, and by type without a registration")
    func attributes() throws {
      let byName = Schema.Attribute(name: "a", options: [.transformable(by: "late")], valueType: Any.self)
      let byType = Schema.Attribute(
        name: "b", options: [.transformable(by: ReversingTransformer.self)], valueType: Any.self
      )
      let schema = Schema(Schema.Entity("E", properties: byName, byType))
      #expect(schema.problems.map(\.kind) == [.unknownTransformer])
      ValueTransformer.setValueTransformer(ReversingTransformer(), forName: NSValueTransformerName("late"))
      try schema.validate()
      #expect(byName.transformer is ReversingTransformer)
      #expect(byType.transformer is ReversingTransformer)
      #expect(byType.isTransformable)
    }
  }
#endif
