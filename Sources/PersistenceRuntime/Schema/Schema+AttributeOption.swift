import Foundation
import PersistenceSupport

extension Schema.Attribute {
  /// A way in which an attribute is stored or treated.
  public struct Option: Codable, Hashable, CustomDebugStringConvertible, Sendable {
    let name: String
    package let transformerName: String?
    fileprivate let transformerType: ValueTransformer.Type?

    package init(_ name: String, transformerName: String? = nil, transformerType: ValueTransformer.Type? = nil) {
      self.name = name
      self.transformerName = transformerName
      self.transformerType = transformerType
    }

    /// No two models of the entity have the same value.
    public static var unique: Option { Option("unique") }

    /// A value transformer turns the value into what is stored.
    ///
    /// The transformer that is registered by the name of the type is used, and otherwise a new one.
    public static func transformable(by transformerType: ValueTransformer.Type) -> Option {
      Option(
        transformableName,
        transformerName: String(describing: transformerType),
        transformerType: transformerType
      )
    }

    /// The value transformer that is registered by a name turns the value into what is stored.
    public static func transformable(by transformerName: String) -> Option {
      Option(transformableName, transformerName: transformerName)
    }

    /// Data of more than 100 KB is kept in a file of its own beside the store, and read when the property is touched.
    ///
    /// The files are in the folder `<file name of the store>_external`. They belong to the store: copy, move and restore
    /// both together. A value is there before the row that names it, and goes after it; what a process that was killed
    /// left behind is removed when the store is opened next.
    ///
    /// It is a hint, as it is Apple's. Smaller values stay in their rows, and so does every value of a store in memory,
    /// of a property that is unique or indexed, and of any type but `Data` and what a transformer makes `Data` of.
    public static var externalStorage: Option { Option("externalStorage") }
    /// The value is encrypted in the store, with the key that the configuration gives. Ours.
    ///
    /// It needs the package trait `Encryption`, and `ModelConfiguration.encryptionKey`. Whether the value is nil, and about
    /// how long it is, can be seen without the key; nothing else can. It cannot be opened with another key, nor as the
    /// value of another property. The property cannot be unique, indexed, sorted by or used in a predicate, except to
    /// ask whether it is nil.
    public static var encrypt: Option { Option("encrypt") }
    /// The value is encrypted where the store is synchronised with a cloud.
    ///
    /// There is no cloud here, so the option is accepted and recorded in the schema, and has no effect: the local store
    /// holds the value in the clear, as Apple's does. ``encrypt`` encrypts it there.
    public static var allowsCloudEncryption: Option { Option("allowsCloudEncryption") }
    /// The value outlives its model in the history.
    ///
    /// Accepted and recorded in the schema. Until the store keeps a history, it has no effect.
    public static var preserveValueOnDeletion: Option { Option("preserveValueOnDeletion") }
    /// Changes of the value are tracked, but it is never written to the store.
    ///
    /// A model that is read has the default of the property.
    public static var ephemeral: Option { Option("ephemeral") }
    /// The value may be found by the system's search, where there is one.
    ///
    /// There is none here, so the option is accepted and recorded in the schema, and has no effect.
    public static var spotlight: Option { Option("spotlight") }
    /// The value is stored as what its `encode(to:)` writes, in one column, and not as its stored fields.
    ///
    /// A value that one column holds anyway, such as a text, a number or an enum with raw values, is stored as ever.
    public static var codable: Option { Option("codable") }

    public static func == (lhs: Option, rhs: Option) -> Bool {
      lhs.name == rhs.name && lhs.transformerName == rhs.transformerName
    }

    public func hash(into hasher: inout Hasher) {
      hasher.combine(name)
      hasher.combine(transformerName)
    }

    /// The option as it is written in a model.
    public var debugDescription: String { ".\(text)" }
  }
}

extension Schema.Attribute.Option {
  fileprivate static let transformableName = "transformable"
  fileprivate static let transformablePrefix = "transformable(by: "
  package static let indexName = "index"

  package var isTransformable: Bool { name == Self.transformableName }

  package var isIndex: Bool { name == Self.indexName }

  package var text: String {
    guard let transformerName else { return name }
    return "\(Self.transformablePrefix)\(transformerName))"
  }

  /// Reads the option from a text; a word that a newer version of this library wrote is kept as it is.
  public init(from decoder: any Decoder) throws {
    let text = try decoder.singleValueContainer().decode(String.self)
    guard text.hasPrefix(Self.transformablePrefix), text.hasSuffix(")") else {
      self.init(text)
      return
    }
    let transformerName = text.dropFirst(Self.transformablePrefix.count).dropLast()
    self.init(Self.transformableName, transformerName: String(transformerName))
  }

  public func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    try container.encode(text)
  }

  /// The transformer that the option names; nil if it is not, or not yet, registered.
  package var transformer: ValueTransformer? {
    guard let transformerName else { return nil }
    let registered = ValueTransformer(forName: NSValueTransformerName(transformerName))
    return registered ?? transformerType?.init()
  }
}

extension Schema.Attribute {
  /// The transformer of a transformable attribute; nil if it is not, or not yet, registered.
  package var transformer: ValueTransformer? {
    options.lazy.compactMap(\.transformer).first
  }
}
