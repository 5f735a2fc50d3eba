import Foundation
import PersistenceSupport

extension Schema.Attribute {
  /// A storage option of an attribute. Apple's type.
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

    /// A value transformer converts the value to data, which the store contains.
    ///
    /// Uses the transformer that is registered under the type's name. If there is none, creates a new instance.
    ///
    /// - Parameter transformerType: The transformer.
    public static func transformable(by transformerType: ValueTransformer.Type) -> Option {
      Option(
        transformableName,
        transformerName: String(describing: transformerType),
        transformerType: transformerType
      )
    }

    /// The value transformer that is registered under a name converts the value to data, which the store contains.
    ///
    /// - Parameter transformerName: The name of the transformer, which must be registered before the container opens.
    public static func transformable(by transformerName: String) -> Option {
      Option(transformableName, transformerName: transformerName)
    }

    /// Data of more than 100 KB is stored in a file next to the store's file, and read on first access.
    ///
    /// The files are in the directory `<file name of the store>_external`. They belong to the store: copy, move and
    /// restore both together. A file is written before the commit of the row that refers to it, and removed after the
    /// deletion of this row. Opening the store removes files that a terminated process left behind (decision 14).
    ///
    /// The option is a hint, the same as Apple's. Values always stay in their rows if the store is in memory, if the
    /// property is unique or indexed, or if they are neither `Data` nor converted by a value transformer.
    public static var externalStorage: Option { Option("externalStorage") }
    /// The value is encrypted in the store with the configuration's key. Ours.
    ///
    /// Requires the package trait `Encryption` and `ModelConfiguration.encryptionKey`. Without the key, the store
    /// reveals only the approximate length, and whether the value is nil. A ciphertext can only be decrypted with its
    /// key, and only as a value of its property. The property cannot be unique, indexed or sorted by, and a predicate
    /// can only compare it with nil (decision 15).
    public static var encrypt: Option { Option("encrypt") }
    /// The value is encrypted when the store is synchronised with a cloud.
    ///
    /// Recorded in the schema without further effect: there is no cloud here, and the local store contains the value as
    /// plain text, the same as Apple's. ``encrypt`` encrypts the value.
    public static var allowsCloudEncryption: Option { Option("allowsCloudEncryption") }
    /// If the store records a history, the tombstone of a deleted model contains the value.
    public static var preserveValueOnDeletion: Option { Option("preserveValueOnDeletion") }
    /// Changes are tracked, but the value is never stored. A fetched model has the property's default.
    public static var ephemeral: Option { Option("ephemeral") }
    /// The system's search indexes the value. Recorded in the schema without further effect: the library has no such
    /// search.
    public static var spotlight: Option { Option("spotlight") }
    /// The value is encoded by its `Codable` conformance and stored in one column, not in one column for each field.
    ///
    /// No effect on types that a column can contain without encoding, such as strings, numbers and raw-value enums.
    public static var codable: Option { Option("codable") }

    public static func == (lhs: Option, rhs: Option) -> Bool {
      lhs.name == rhs.name && lhs.transformerName == rhs.transformerName
    }

    public func hash(into hasher: inout Hasher) {
      hasher.combine(name)
      hasher.combine(transformerName)
    }

    /// The option in source notation.
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

  /// Decodes an option. Also preserves options that this version of the library does not know.
  ///
  /// - Parameter decoder: The decoder.
  /// - Throws: The error of the decoder, if the encoded option is not a text.
  public init(from decoder: any Decoder) throws {
    let text = try decoder.singleValueContainer().decode(String.self)
    guard text.hasPrefix(Self.transformablePrefix), text.hasSuffix(")") else {
      self.init(text)
      return
    }
    let transformerName = text.dropFirst(Self.transformablePrefix.count).dropLast()
    self.init(Self.transformableName, transformerName: String(transformerName))
  }

  /// Encodes the option as a text.
  ///
  /// - Parameter encoder: The encoder.
  /// - Throws: The error of the encoder.
  public func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    try container.encode(text)
  }

  /// The transformer that is registered under the option's name, else a new instance of its type; nil without either.
  package var transformer: ValueTransformer? {
    guard let transformerName else { return nil }
    let registered = ValueTransformer(forName: NSValueTransformerName(transformerName))
    return registered ?? transformerType?.init()
  }
}

extension Schema.Attribute {
  /// The transformer of a transformable attribute; nil if the attribute or its option has none.
  package var transformer: ValueTransformer? {
    options.lazy.compactMap(\.transformer).first
  }
}
