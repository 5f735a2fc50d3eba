extension Schema {
  /// The uniqueness constraints of a model. `#Unique` adds them to the model's metadata. Apple's type.
  final public class Unique<T: PersistentModel>: SchemaProperty, CustomDebugStringConvertible, Hashable, Codable {
    /// The encoded keys.
    public enum CodingKeys: CodingKey {
      /// The names of the properties of each constraint.
      case constraints
    }

    /// The name under which a model's metadata lists uniqueness constraints.
    public var name: String = uniqueMetadataName
    /// Same as ``name``.
    public var originalName: String = uniqueMetadataName
    /// The type of this object, because a constraint has no value.
    public var valueType: any Any.Type = Unique<T>.self
    /// Always true.
    public var isUnique: Bool { true }
    /// For each constraint, the properties whose values must be unique together.
    public let constraints: [[PartialKeyPath<T>]]

    /// Creates constraints.
    ///
    /// - Parameter constraints: The key paths of each constraint.
    public init(_ constraints: [PartialKeyPath<T>]...) {
      self.constraints = constraints
    }

    /// Decodes constraints from the names of their properties.
    ///
    /// - Parameter decoder: The decoder.
    /// - Throws: The error of the decoder; `SwiftDataError.unsupportedKeyPath` for a name that is no stored property
    ///   of the model.
    public init(from decoder: any Decoder) throws {
      let container = try decoder.container(keyedBy: CodingKeys.self)
      let names = try container.decode([[String]].self, forKey: .constraints)
      self.constraints = try names.map { try KeyPathNames<T>.keypaths(for: $0) }
    }

    /// Encodes the constraints by the names of their properties.
    ///
    /// - Parameter encoder: The encoder.
    /// - Throws: The error of the encoder; `SwiftDataError.unsupportedKeyPath` for a key path that names no stored
    ///   property.
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
