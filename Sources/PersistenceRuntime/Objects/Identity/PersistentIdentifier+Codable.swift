import Foundation

/// Encodes in the format of Apple's framework, so that code that parses it works.
extension PersistentIdentifier: Codable {
  private enum OuterKey: String, CodingKey {
    case implementation
  }

  private enum InnerKey: String, CodingKey {
    case primaryKey, uriRepresentation, isTemporary, storeIdentifier, entityName
  }

  /// Decodes an identifier. Its row need not exist.
  ///
  /// - Parameter decoder: The decoder.
  /// - Throws: The error of the decoder; `DecodingError` if the key of a model without a store is not a UUID.
  public init(from decoder: any Decoder) throws {
    let outer = try decoder.container(keyedBy: OuterKey.self)
    let inner = try outer.nestedContainer(keyedBy: InnerKey.self, forKey: .implementation)
    let entityName = try inner.decode(String.self, forKey: .entityName)
    let text = try inner.decode(String.self, forKey: .primaryKey)
    guard let store = try inner.decodeIfPresent(String.self, forKey: .storeIdentifier) else {
      guard text.hasPrefix("t"), let identity = UUID(uuidString: String(text.dropFirst())) else {
        throw DecodingError.dataCorruptedError(
          forKey: .primaryKey, in: inner, debugDescription: "'\(text)' is no key of a model without a store")
      }
      self.init(.token(IdentifierToken.token(identity: identity, entityName: entityName)))
      return
    }
    let uri = try inner.decodeIfPresent(String.self, forKey: .uriRepresentation) ?? ""
    let entity = StoreEntity(store: store, name: entityName)
    if !uri.hasPrefix(Self.customScheme), text.hasPrefix("p"), let key = Int64(text.dropFirst()) {
      self.init(claimed: key, of: entity)
    } else {
      self.init(.custom(entity, text))
    }
  }

  /// Encodes the identifier. That of an unsaved model leads to the model in this process only.
  ///
  /// - Parameter encoder: The encoder.
  /// - Throws: The error of the encoder.
  public func encode(to encoder: any Encoder) throws {
    // The token is not encoded: if the row is rolled back, no other row may get its key.
    if case .token = key, let row { row.entity.knownKeys.noteRow(row.key) }
    var outer = encoder.container(keyedBy: OuterKey.self)
    var inner = outer.nestedContainer(keyedBy: InnerKey.self, forKey: .implementation)
    try inner.encode(primaryKeyText, forKey: .primaryKey)
    try inner.encode(uriRepresentation, forKey: .uriRepresentation)
    try inner.encode(isTemporary, forKey: .isTemporary)
    try inner.encodeIfPresent(storeIdentifier, forKey: .storeIdentifier)
    try inner.encode(entityName, forKey: .entityName)
  }

  private static let customScheme = "x-swiftdata"

  /// The key as text: `p` and a number for a row, `t` and a UUID for a model without a row.
  package var primaryKeyText: String {
    if let row { return "p\(row.key)" }
    switch key {
    case .custom(_, let text): return text
    case .token(let token): return "t\(token.identity.uuidString)"
    case .row(_, let key): return "p\(key)"
    }
  }

  private var uriRepresentation: String {
    let scheme = if case .custom = key { Self.customScheme } else { "x-coredata" }
    return "\(scheme)://\(storeIdentifier ?? "")/\(entityName)/\(primaryKeyText)"
  }

  /// Creates the identifier of a row in a store that assigns its own keys. Apple's.
  ///
  /// - Parameters:
  ///   - storeIdentifier: The identifier of the store.
  ///   - entityName: The name of the row's entity.
  ///   - primaryKey: The key of the row. An integer becomes the key of a row of a default store.
  /// - Returns: The identifier.
  /// - Throws: Nothing; Apple's signature declares it.
  public static func identifier<T>(
    for storeIdentifier: String, entityName: String, primaryKey: T
  ) throws -> PersistentIdentifier
  where T: Comparable, T: CustomStringConvertible, T: Decodable, T: Encodable, T: Hashable {
    let entity = StoreEntity(store: storeIdentifier, name: entityName)
    if let key = primaryKey as? any BinaryInteger, let number = Int64(exactly: key) {
      return PersistentIdentifier(claimed: number, of: entity)
    }
    return PersistentIdentifier(.custom(entity, primaryKey.description))
  }
}

extension PersistentIdentifier: CustomStringConvertible {
  public var description: String {
    "PersistentIdentifier(\(uriRepresentation))"
  }
}
