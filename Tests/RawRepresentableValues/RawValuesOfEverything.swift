// swift-format-ignore-file: AvoidRetroactiveConformances

import Foundation

// Programs declare such conformances to keep values in `@AppStorage`, usually as text. The conformances affect the
// whole module, so these tests are in their own module.

/// A raw value that the library would never store by itself. Tests search for it to show that no raw value is stored.
private func disguised(_ text: String) -> String { "raw:\(text)" }

private func coded(_ value: some Encodable) -> String {
  (try? JSONEncoder().encode(value)).map { disguised(String(decoding: $0, as: UTF8.self)) } ?? ""
}

private func decoded<Value: Decodable>(_ text: String) -> Value? {
  try? JSONDecoder().decode(Value.self, from: Data(text.dropFirst(4).utf8))
}

extension Date: @retroactive RawRepresentable {
  public var rawValue: String { disguised("\(timeIntervalSinceReferenceDate)") }
  public init?(rawValue: String) {
    guard let seconds = Double(rawValue.dropFirst(4)) else { return nil }
    self.init(timeIntervalSinceReferenceDate: seconds)
  }
}

extension String: @retroactive RawRepresentable {
  public var rawValue: String { disguised(self) }
  public init?(rawValue: String) { self.init(rawValue.dropFirst(4)) }
}

extension UUID: @retroactive RawRepresentable {
  public var rawValue: String { disguised(uuidString) }
  public init?(rawValue: String) { self.init(uuidString: String(rawValue.dropFirst(4))) }
}

extension URL: @retroactive RawRepresentable {
  public var rawValue: String { disguised(absoluteString) }
  public init?(rawValue: String) { self.init(string: String(rawValue.dropFirst(4))) }
}

extension Data: @retroactive RawRepresentable {
  public var rawValue: String { disguised(base64EncodedString()) }
  public init?(rawValue: String) { self.init(base64Encoded: String(rawValue.dropFirst(4))) }
}

extension Decimal: @retroactive RawRepresentable {
  public var rawValue: String { disguised(description) }
  public init?(rawValue: String) { self.init(string: String(rawValue.dropFirst(4))) }
}

extension Int: @retroactive RawRepresentable {
  public var rawValue: String { disguised(description) }
  public init?(rawValue: String) { self.init(String(rawValue.dropFirst(4))) }
}

extension Double: @retroactive RawRepresentable {
  public var rawValue: String { disguised(description) }
  public init?(rawValue: String) { self.init(String(rawValue.dropFirst(4))) }
}

extension Bool: @retroactive RawRepresentable {
  public var rawValue: Int { self ? 70 : 60 }
  public init?(rawValue: Int) { self = rawValue == 70 }
}

extension Optional: @retroactive RawRepresentable where Wrapped: Codable {
  public var rawValue: String { coded(self) }
  public init?(rawValue: String) {
    guard let value: Wrapped? = decoded(rawValue) else { return nil }
    self = value
  }
}

extension Array: @retroactive RawRepresentable where Element: Codable {
  public var rawValue: String { coded(self) }
  public init?(rawValue: String) {
    guard let value: [Element] = decoded(rawValue) else { return nil }
    self = value
  }
}

extension Set: @retroactive RawRepresentable where Element: Codable {
  public var rawValue: String { coded(self) }
  public init?(rawValue: String) {
    guard let value: Set<Element> = decoded(rawValue) else { return nil }
    self = value
  }
}

extension Dictionary: @retroactive RawRepresentable where Key: Codable, Value: Codable {
  public var rawValue: String { coded(self) }
  public init?(rawValue: String) {
    guard let value: [Key: Value] = decoded(rawValue) else { return nil }
    self = value
  }
}

extension CGPoint: @retroactive RawRepresentable {
  public var rawValue: String { disguised("\(x),\(y)") }
  public init?(rawValue: String) {
    let parts = rawValue.dropFirst(4).split(separator: ",").compactMap { Double($0) }
    guard parts.count == 2 else { return nil }
    self.init(x: parts[0], y: parts[1])
  }
}
