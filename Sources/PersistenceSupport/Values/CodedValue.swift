import Foundation

/// A property's default value in an encoded schema. The cases are the types of values that every store supports.
package enum CodedValue: Codable, Hashable {
  case bool(Bool)
  case integer(Int64)
  case unsigned(UInt64)
  case number(Double)
  /// NaN or an infinity, as text: JSON cannot represent these numbers.
  case special(String)
  case decimal(String)
  case string(String)
  case date(Double)
  case uuid(String)
  case url(String)
  case data(Data)

  /// Nil for a value of another type, also if values of that type are stored as raw values.
  package init?(basic value: Any) {
    guard let coded = Self.basic(value) ?? Self.numeric(value) else { return nil }
    self = coded
  }

  private static func basic(_ value: Any) -> CodedValue? {
    switch value {
    case let value as Bool: .bool(value)
    case let value as String: .string(value)
    case let value as Date: .date(value.timeIntervalSinceReferenceDate)
    case let value as UUID: .uuid(value.uuidString)
    case let value as URL: .url(value.absoluteString)
    case let value as Data: .data(value)
    case let value as Decimal: .decimal(value.description)
    default: nil
    }
  }

  private static func numeric(_ value: Any) -> CodedValue? {
    switch value {
    case let value as any BinaryInteger:
      Int64(exactly: value).map { .integer($0) } ?? UInt64(exactly: value).map { .unsigned($0) }
    case let value as any BinaryFloatingPoint:
      floating(Double(value))
    default: nil
    }
  }

  private static func floating(_ value: Double) -> CodedValue {
    value.isFinite ? .number(value) : .special(value.description)
  }

  /// The value as the basic type of its case, such as `Int`; nil if a text does not have the form of that type.
  package var live: Any? {
    switch self {
    case .bool(let value): value
    case .integer(let value): Int(exactly: value) ?? value
    case .unsigned(let value): value
    case .number(let value): value
    case .special(let text): Double(text)
    case .decimal(let text): Decimal(string: text)
    case .string(let value): value
    case .date(let seconds): Date(timeIntervalSinceReferenceDate: seconds)
    case .uuid(let text): UUID(uuidString: text)
    case .url(let text): URL(string: text)
    case .data(let value): value
    }
  }
}

// Encoded as one key with one value, such as {"string": "new"}.
extension CodedValue {
  private enum CodingKeys: String, CodingKey {
    case bool, integer, unsigned, number, special, decimal, string, date, uuid, url, data
  }

  package init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: CodingKeys.self)
    guard let key = container.allKeys.first else {
      let context = DecodingError.Context(codingPath: decoder.codingPath, debugDescription: "a default without a kind")
      throw DecodingError.dataCorrupted(context)
    }
    switch key {
    case .bool: self = .bool(try container.decode(Bool.self, forKey: key))
    case .integer: self = .integer(try container.decode(Int64.self, forKey: key))
    case .unsigned: self = .unsigned(try container.decode(UInt64.self, forKey: key))
    case .number: self = .number(try container.decode(Double.self, forKey: key))
    case .special: self = .special(try container.decode(String.self, forKey: key))
    case .decimal: self = .decimal(try container.decode(String.self, forKey: key))
    case .string: self = .string(try container.decode(String.self, forKey: key))
    case .date: self = .date(try container.decode(Double.self, forKey: key))
    case .uuid: self = .uuid(try container.decode(String.self, forKey: key))
    case .url: self = .url(try container.decode(String.self, forKey: key))
    case .data: self = .data(try container.decode(Data.self, forKey: key))
    }
  }

  package func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: CodingKeys.self)
    switch self {
    case .bool(let value): try container.encode(value, forKey: .bool)
    case .integer(let value): try container.encode(value, forKey: .integer)
    case .unsigned(let value): try container.encode(value, forKey: .unsigned)
    case .number(let value): try container.encode(value, forKey: .number)
    case .special(let text): try container.encode(text, forKey: .special)
    case .decimal(let text): try container.encode(text, forKey: .decimal)
    case .string(let value): try container.encode(value, forKey: .string)
    case .date(let seconds): try container.encode(seconds, forKey: .date)
    case .uuid(let text): try container.encode(text, forKey: .uuid)
    case .url(let text): try container.encode(text, forKey: .url)
    case .data(let value): try container.encode(value, forKey: .data)
    }
  }
}

extension CodedValue: CustomStringConvertible {
  /// The value in source notation.
  package var description: String {
    switch self {
    case .bool(let value): "\(value)"
    case .integer(let value): "\(value)"
    case .unsigned(let value): "\(value)"
    case .number(let value): "\(value)"
    case .string(let value): "\"\(value)\""
    case .special(let text), .decimal(let text), .uuid(let text), .url(let text): text
    case .date(let seconds): Date(timeIntervalSinceReferenceDate: seconds).ISO8601Format()
    case .data(let value): "\(value.count) bytes"
    }
  }
}
