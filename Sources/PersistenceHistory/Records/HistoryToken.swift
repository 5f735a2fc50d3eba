import PersistenceSupport

/// A place in the history of stores. Apple's.
///
/// Keep the token of the last transaction that was worked off, encoded, and ask later for those behind it. Any thread may
/// use it.
public protocol HistoryToken: Comparable, Decodable, Encodable, Hashable, Identifiable, Sendable {
  /// The type of what the token consists of.
  associatedtype TokenType: Decodable, Encodable, Hashable, Sendable

  /// What the token consists of; nil for the beginning of all history.
  var tokenValue: TokenType? { get }
  /// The identifier of the store whose transaction has the token.
  var storeIdentifier: String { get }
}

extension HistoryToken {
  /// The identifier of the store whose transaction has the token; empty if the token does not say.
  public var storeIdentifier: String { "" }
}

/// A place in the history of default stores. Apple's.
///
/// It has the number of a transaction for each store: all transactions up to that one are before it. So the token of the
/// last transaction of a fetch stands for everything that the fetch found, in all stores of the container, and stays
/// valid across restarts. A store that it lacks is at its beginning.
///
/// Tokens are ordered by how many transactions are before them, in all stores together; equal numbers are ordered by the
/// stores' identifiers. Of two tokens of one store the later transaction has the greater one. Of tokens over several
/// stores the one that is behind another in some store, and before it in none, is the greater one. In a predicate of a
/// ``HistoryDescriptor`` `$0.token > token` asks each store for the transactions behind its own number.
///
/// ```swift
/// let data = try JSONEncoder().encode(transaction.token)
/// ```
public struct DefaultHistoryToken: HistoryToken {
  /// The numbers of transactions, by the identifiers of stores. Apple's.
  public typealias TokenType = [String: Int64]
  /// A number of the place. Apple's.
  public typealias ID = Int

  /// The numbers of the last transactions, by the identifiers of their stores. Apple's.
  public var tokenValue: TokenType? {
    switch value {
    case .store(let store, let number): [store: number]
    case .stores(let numbers): numbers
    }
  }
  private let value: Numbers
  /// The identifier of the store whose transaction has the token. A token that was decoded or has several stores has
  /// that of the first that it names. Apple's.
  public let storeIdentifier: String

  /// Most tokens are of one store, and need no dictionary.
  private enum Numbers: Sendable {
    case store(String, Int64)
    case stores([String: Int64]?)
  }

  package init(_ value: [String: Int64], of store: String? = nil) {
    self.value = .stores(value)
    storeIdentifier = store ?? value.keys.min() ?? ""
  }

  /// The token of a save to one store.
  package init(_ number: Int64, of store: String) {
    value = .store(store, number)
    storeIdentifier = store
  }

  /// The number of the last transaction of a store that is before the token.
  package func number(of store: String) -> Int64 { max(0, tokenValue?[store] ?? 0) }

  /// A number that equal tokens share, in all processes. Apple's.
  public var id: Int {
    let parts = places.flatMap { Array("\($0.store)=\($0.number);".utf8) }
    return Int(truncatingIfNeeded: StableHash.shortValue(of: parts))
  }

  /// A store at its beginning is as one that is missing.
  private var places: [(store: String, number: Int64)] {
    (tokenValue ?? [:]).filter { $0.value > 0 }.sorted { $0.key < $1.key }.map { ($0.key, $0.value) }
  }

  /// The number of transactions before the token.
  private var count: Int64 {
    (tokenValue ?? [:]).values.reduce(0) { sum, number in
      let (result, isOver) = sum.addingReportingOverflow(max(0, number))
      return isOver ? .max : result
    }
  }

  /// Whether two tokens are the same place in every store. Apple's.
  ///
  /// - Parameters:
  ///   - lhs: A token.
  ///   - rhs: Another token.
  public static func == (lhs: DefaultHistoryToken, rhs: DefaultHistoryToken) -> Bool {
    lhs.places.elementsEqual(rhs.places, by: ==)
  }

  /// Whether fewer transactions are before the first token. Apple's.
  ///
  /// - Parameters:
  ///   - lhs: A token.
  ///   - rhs: Another token.
  public static func < (lhs: DefaultHistoryToken, rhs: DefaultHistoryToken) -> Bool {
    let (own, other) = (lhs.count, rhs.count)
    return own == other ? lhs.places.lexicographicallyPrecedes(rhs.places, by: <) : own < other
  }

  public func hash(into hasher: inout Hasher) {
    for place in places {
      hasher.combine(place.store)
      hasher.combine(place.number)
    }
  }
}

extension DefaultHistoryToken: Codable {
  private enum CodingKeys: CodingKey {
    case tokenValue
  }

  /// Decodes a token.
  ///
  /// - Parameter decoder: The decoder.
  /// - Throws: The error of the decoder.
  public init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: CodingKeys.self)
    let value = try container.decodeIfPresent([String: Int64].self, forKey: .tokenValue)
    self.value = .stores(value)
    storeIdentifier = value?.keys.min() ?? ""
  }

  /// Encodes the numbers of all stores.
  ///
  /// - Parameter encoder: The encoder.
  /// - Throws: The error of the encoder.
  public func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: CodingKeys.self)
    try container.encodeIfPresent(tokenValue, forKey: .tokenValue)
  }
}
