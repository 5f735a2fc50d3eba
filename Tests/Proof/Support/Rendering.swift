import SwiftData

/// Converts values to texts, which are equal only if the values are identical: texts are compared by scalars, numbers
/// by bits.
enum Rendering {
  static func text(_ value: Any) -> String {
    single(value) ?? compound(value)
  }

  private static func single(_ value: Any) -> String? {
    switch value {
    case let object as any Named: name(of: object)
    case let text as String: quoted(text)
    case let number as Double: number.isNaN ? "NaN:\(String(number.bitPattern, radix: 16))" : "\(number)"
    case let number as Float: number.isNaN ? "NaN:\(String(number.bitPattern, radix: 16))" : "\(number)"
    case let date as Date: "date \(date.timeIntervalSinceReferenceDate)"
    case let number as Decimal: "decimal \(number)"
    case let identifier as UUID: identifier.uuidString
    case let url as URL: "<\(quoted(url.absoluteString))>"
    case let data as Data: bytes(data)
    default: nil
    }
  }

  private static func compound(_ value: Any) -> String {
    let mirror = Mirror(reflecting: value)
    let children = mirror.children.map { child in (child.label.map { "\($0): " } ?? "") + text(child.value) }
    switch mirror.displayStyle {
    case .optional: return children.isEmpty ? "nil" : children[0].replacingOccurrences(of: "some: ", with: "")
    case .collection: return "[\(children.joined(separator: ", "))]"
    case .set, .dictionary: return "{\(children.sorted().joined(separator: ", "))}"
    case .struct, .tuple: return "(\(children.joined(separator: ", ")))"
    case .enum where !children.isEmpty: return children[0]
    default: return "\(value)"
    }
  }

  /// The class and the name of an object. Together they identify the object.
  static func name(of object: any Named) -> String { "\(type(of: object)) \(object.name)" }

  private static func quoted(_ text: String) -> String {
    let scalars = text.unicodeScalars.map { scalar in
      scalar.isASCII && scalar.value >= 32 ? String(scalar) : "\\u{\(String(scalar.value, radix: 16))}"
    }
    return "\"\(scalars.joined())\""
  }

  /// The number of bytes, and all bytes if there are at most 64, otherwise a checksum.
  private static func bytes(_ data: Data) -> String {
    guard data.count > 64 else { return "\(data.count) bytes \(data.map { String($0, radix: 16) })" }
    let sum = data.reduce(into: UInt64(14_695_981_039_346_656_037)) { $0 = ($0 ^ UInt64($1)) &* 1_099_511_628_211 }
    return "\(data.count) bytes with checksum \(sum)"
  }
}
