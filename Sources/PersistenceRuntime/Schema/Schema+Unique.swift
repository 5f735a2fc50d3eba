extension Schema {
  /// The uniqueness rules of a model, as its metadata carries them.
  final public class Unique<T: PersistentModel>: SchemaProperty, CustomDebugStringConvertible, Hashable, Codable {
    /// The parts that are written when the rules are encoded.
    public enum CodingKeys: CodingKey {
      case constraints
    }

    /// The name that uniqueness rules have among the metadata of a model.
    public var name: String = uniqueMetadataName
    /// The same as ``name``.
    public var originalName: String = uniqueMetadataName
    /// The type of this object, since a rule has no value.
    public var valueType: any Any.Type = Unique<T>.self
    /// Always true.
    public var isUnique: Bool { true }
    /// The lists of properties of which no two models share all values.
    public let constraints: [[PartialKeyPath<T>]]

    /// Makes rules, one of each list.
    public init(_ constraints: [PartialKeyPath<T>]...) {
      self.constraints = constraints
    }

    public init(from decoder: any Decoder) throws {
      let container = try decoder.container(keyedBy: CodingKeys.self)
      let names = try container.decode([[String]].self, forKey: .constraints)
      self.constraints = try names.map { try KeyPathNames<T>.keypaths(for: $0) }
    }

    public func encode(to encoder: any Encoder) throws {
      var container = encoder.container(keyedBy: CodingKeys.self)
      try container.encode(constraints.map { try KeyPathNames<T>.names(of: $0) }, forKey: .constraints)
    }

    public static func == (lhs: Unique<T>, rhs: Unique<T>) -> Bool {
      lhs.constraints == rhs.constraints
    }

    public func hash(into hasher: inout Hasher) {
      hasher.combine(constraints)
    }

    public var debugDescription: String {
      "Schema.Unique<\(T.self)> - \(constraints.map { "\($0.count) properties" })"
    }
  }
}

extension Schema.Unique: KeyPathListing {
  package var macroName: String { "#Unique" }

  package var keyPathLists: [KeyPathList] {
    constraints.map { KeyPathList(kind: .unique, keypaths: $0) }
  }
}
