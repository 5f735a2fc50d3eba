extension Schema {
  /// A value that is stored in several parts.
  ///
  /// Unchecked for the reason that ``Schema/Attribute`` gives.
  final public class CompositeAttribute: Attribute, @unchecked Sendable {
    /// The parts of the value.
    public var properties: [Attribute]

    /// Describes a value; its parts are to be set afterwards.
    public override init(
      name: String,
      originalName: String? = nil,
      options: [Option] = [],
      valueType: any Any.Type,
      defaultValue: Any? = nil,
      hashModifier: String? = nil
    ) {
      self.properties = []
      super.init(
        name: name,
        originalName: originalName,
        options: options,
        valueType: valueType,
        defaultValue: defaultValue,
        hashModifier: hashModifier
      )
    }

    public required init(from decoder: any Decoder) throws {
      let form = try AttributeForm(from: decoder)
      self.properties = (form.members ?? []).map { $0.attribute() }
      try super.init(from: decoder)
    }

    public override func encode(to encoder: any Encoder) throws {
      try AttributeForm(self).encode(to: encoder)
    }

    public static func == (lhs: CompositeAttribute, rhs: CompositeAttribute) -> Bool {
      AttributeForm(lhs) == AttributeForm(rhs)
    }

    public override var debugDescription: String {
      "Schema.CompositeAttribute - \(AttributeForm(self).summary), properties: \(properties)"
    }
  }
}
