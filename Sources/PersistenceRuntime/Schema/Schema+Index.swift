extension Schema {
  /// The indexes of a model. `#Index` adds them to the model's metadata. Apple's type.
  final public class Index<T: PersistentModel>: SchemaProperty, CustomDebugStringConvertible, Hashable, Codable {
    /// One index over several properties.
    public enum Types<P: PersistentModel> {
      /// A B-tree index, for equality, ranges and sorting.
      case binary([PartialKeyPath<P>])
      /// An R-tree index, for ranges of several numbers at once.
      case rtree([PartialKeyPath<P>])
    }

    /// The encoded keys.
    public enum CodingKeys: CodingKey {
      /// The kind of each index, and the names of its properties.
      case indices
    }

    /// The name under which a model's metadata lists indexes.
    public var name: String = indexMetadataName
    /// Same as ``name``.
    public var originalName: String = indexMetadataName
    /// The type of this object, because an index has no value.
    public var valueType: any Any.Type = Index<T>.self
    /// Always false.
    public var isUnique: Bool { false }
    /// The indexes.
    public let indices: [Types<T>]

    /// Creates B-tree and R-tree indexes.
    ///
    /// - Parameter indices: The indexes.
    public init(_ indices: Types<T>...) {
      self.indices = indices
    }

    /// Creates B-tree indexes.
    ///
    /// - Parameter binaryIndices: The key paths of each index.
    public init(_ binaryIndices: [PartialKeyPath<T>]...) {
      self.indices = binaryIndices.map { .binary($0) }
    }

    /// Decodes indexes from the names of their properties.
    ///
    /// - Parameter decoder: The decoder.
    /// - Throws: The error of the decoder; `SwiftDataError.unsupportedKeyPath` for a name that is no stored property
    ///   of the model.
    public init(from decoder: any Decoder) throws {
      let container = try decoder.container(keyedBy: CodingKeys.self)
      let forms = try container.decode([IndexForm].self, forKey: .indices)
      self.indices = try forms.map { form in
        let keypaths = try KeyPathNames<T>.keypaths(for: form.properties)
        return form.kind == .rtree ? .rtree(keypaths) : .binary(keypaths)
      }
    }

    /// Encodes the indexes by the names of their properties.
    ///
    /// - Parameter encoder: The encoder.
    /// - Throws: The error of the encoder; `SwiftDataError.unsupportedKeyPath` for a key path that names no stored
    ///   property.
    public func encode(to encoder: any Encoder) throws {
      var container = encoder.container(keyedBy: CodingKeys.self)
      let forms = try keyPathLists.map { list in
        IndexForm(kind: list.kind, properties: try KeyPathNames<T>.names(of: list.keypaths))
      }
      try container.encode(forms, forKey: .indices)
    }

    public static func == (lhs: Index<T>, rhs: Index<T>) -> Bool {
      lhs.keyPathLists == rhs.keyPathLists
    }

    public func hash(into hasher: inout Hasher) {
      hasher.combine(keyPathLists)
    }

    public var debugDescription: String {
      "Schema.Index<\(T.self)> - \(keyPathLists.map { "\($0.kind) of \($0.keypaths.count)" })"
    }
  }
}

extension Schema.Index: KeyPathListing {
  package var macroName: String { "#Index" }

  package var keyPathLists: [KeyPathList] {
    indices.map { index in
      switch index {
      case .binary(let keypaths): KeyPathList(kind: .binary, keypaths: keypaths)
      case .rtree(let keypaths): KeyPathList(kind: .rtree, keypaths: keypaths)
      }
    }
  }
}
