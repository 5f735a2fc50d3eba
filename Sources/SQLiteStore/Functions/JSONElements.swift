import Foundation
import PersistenceRuntime
import SQLEngine

/// Parses JSON text and returns the elements of an array, or the values of an object, as column values. Texts are
/// returned in stored form (normalised), although the JSON contains the exact texts.
///
/// The JSON was written by the stores. Swift parses the numbers, so that no digit is lost.
struct JSONElements {
  private let bytes: UnsafeBufferPointer<UInt8>
  private let form: ElementForm
  private var index = 0

  init(_ bytes: UnsafeBufferPointer<UInt8>, form: ElementForm) {
    self.bytes = bytes
    self.form = form
  }

  /// The elements of an array, or the values of an object; nil if the text is neither.
  mutating func list() -> PackedList? {
    if skip("{") { return values() }
    var list = PackedList()
    guard skip("[") else { return nil }
    if skip("]") { return list }
    repeat {
      guard let element = element() else { return nil }
      list.append(element: element)
    } while skip(",")
    return skip("]") ? list : nil
  }

  private mutating func values() -> PackedList? {
    var list = PackedList()
    if skip("}") { return list }
    repeat {
      guard string() != nil, skip(":"), let element = element() else { return nil }
      list.append(element: element)
    } while skip(",")
    return skip("}") ? list : nil
  }

  /// The value of an object for a key; `.null` if the key is absent.
  ///
  /// - Parameter key: The text itself, not its stored form.
  mutating func value(forKey key: String) -> QueryValue {
    guard skip("{"), !skip("}") else { return .null }
    repeat {
      guard let name = string(), skip(":") else { return .null }
      if name == key { return element() ?? .null }
      guard element() != nil else { return .null }
    } while skip(",")
    return .null
  }

  // MARK: Values

  private mutating func element() -> QueryValue? {
    skipSpace()
    guard index < bytes.count else { return nil }
    switch bytes[index] {
    case UInt8(ascii: "\""): return string().flatMap(value(ofText:))
    case UInt8(ascii: "n"): return skipWord("null") ? .null : nil
    case UInt8(ascii: "t"): return skipWord("true") ? .integer(1) : nil
    case UInt8(ascii: "f"): return skipWord("false") ? .integer(0) : nil
    default: return number()
    }
  }

  private func value(ofText text: String) -> QueryValue? {
    switch form {
    case .text: return text.queryValue
    case .identifier: return UUID(uuidString: text)?.queryValue
    case .data: return Data(base64Encoded: text)?.queryValue
    case .double, .float:
      return switch text {
      case "inf": .real(.infinity)
      case "-inf": .real(-.infinity)
      default: .text("NaN", .real)
      }
    case .integer, .boolean: return nil
    }
  }

  private mutating func number() -> QueryValue? {
    let start = index
    while index < bytes.count, Self.isInNumber(bytes[index]) { index += 1 }
    let text = String(decoding: bytes[start..<index], as: UTF8.self)
    switch form {
    case .float: return Float(text).map { .real(Double($0)) }
    case .double: return Double(text).map { .real($0) }
    default: return Int64(text).map { .integer($0) } ?? UInt64(text)?.queryValue
    }
  }

  private static func isInNumber(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "+"), UInt8(ascii: "."),
      UInt8(ascii: "e"), UInt8(ascii: "E"):
      true
    default: false
    }
  }

  private mutating func string() -> String? {
    guard skip("\"") else { return nil }
    let start = index
    var hasEscapes = false
    while index < bytes.count, bytes[index] != UInt8(ascii: "\"") {
      if bytes[index] == UInt8(ascii: "\\") {
        hasEscapes = true
        index += 1
      }
      index += 1
    }
    guard index < bytes.count else { return nil }
    index += 1
    guard hasEscapes else { return String(decoding: bytes[start..<index - 1], as: UTF8.self) }
    let literal = Data(bytes[start - 1..<index])
    return try? JSONDecoder().decode(String.self, from: literal)
  }

  // MARK: Punctuation

  private mutating func skipSpace() {
    while index < bytes.count, bytes[index] <= UInt8(ascii: " ") { index += 1 }
  }

  private mutating func skip(_ mark: Unicode.Scalar) -> Bool {
    skipSpace()
    guard index < bytes.count, bytes[index] == UInt8(ascii: mark) else { return false }
    index += 1
    return true
  }

  private mutating func skipWord(_ word: StaticString) -> Bool {
    guard index + word.utf8CodeUnitCount <= bytes.count else { return false }
    index += word.utf8CodeUnitCount
    return true
  }
}

extension PackedList {
  fileprivate mutating func append(element: QueryValue) {
    switch element {
    case .integer(let number): append(number)
    case .real(let number): append(number)
    case .text(let text, _): append(text)
    case .blob(let data, _): append(data)
    case .null, .list, .identifier: appendNull()
    }
  }
}
