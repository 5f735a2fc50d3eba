import Foundation

extension Schema.Attribute {
  /// A way in which an attribute is stored or treated.
  public struct Option: Codable, Hashable, CustomDebugStringConvertible, Sendable {
    let name: String
    let transformerName: String?
    fileprivate let transformerType: ValueTransformer.Type?

    init(_ name: String, transformerName: String? = nil, transformerType: ValueTransformer.Type? = nil) {
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

    /// Large data may be kept in a file beside the store.
    public static var externalStorage: Option { Option("externalStorage") }
    /// The value is encrypted where the store is synchronised with a cloud. It has no effect on the local store.
    public static var allowsCloudEncryption: Option { Option("allowsCloudEncryption") }
    /// The value outlives its model in the history.
    public static var preserveValueOnDeletion: Option { Option("preserveValueOnDeletion") }
    /// Changes of the value are tracked, but it is never written to the store.
    public static var ephemeral: Option { Option("ephemeral") }
    /// The value may be found by the system's search, where there is one.
    public static var spotlight: Option { Option("spotlight") }
    /// The value is stored as what its `encode(to:)` writes, and not as its stored fields.
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

  var isTransformable: Bool { name == Self.transformableName }

  var text: String {
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
