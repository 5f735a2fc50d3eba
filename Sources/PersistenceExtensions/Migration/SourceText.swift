import Foundation
import PersistenceRuntime
import PersistenceSupport

/// Spells names as in Swift source code.
enum SourceName {
  /// The names that need backticks in a declaration.
  private static let reserved: Set<String> = [
    "_", "Any", "Protocol", "Self", "Type", "as", "associatedtype", "break", "case", "catch", "class", "continue",
    "default", "defer", "deinit", "do", "else", "enum", "extension", "fallthrough", "false", "fileprivate", "for",
    "func", "guard", "if", "import", "in", "init", "inout", "internal", "is", "let", "nil", "operator",
    "precedencegroup", "private", "protocol", "public", "repeat", "rethrows", "return", "self", "static", "struct",
    "subscript", "super", "switch", "throw", "throws", "true", "try", "typealias", "var", "where", "while",
  ]

  /// The name of a property or a type, in backticks if necessary.
  static func identifier(_ name: String) -> String { isPlain(name) && !reserved.contains(name) ? name : "`\(name)`" }

  /// Whether a name consists of the characters of an identifier. True also for a reserved word, which needs backticks.
  static func isPlain(_ name: String) -> Bool {
    !name.isEmpty && name.allSatisfy(isPart) && name.first?.isASCIIDigit == false
  }

  /// The name of a type as in source code, with arrays in brackets.
  static func type(_ name: String) -> String {
    guard name.hasPrefix("Array<"), name.hasSuffix(">") else { return quoted(name) }
    return "[\(type(String(name.dropFirst("Array<".count).dropLast())))]"
  }

  /// Adds backticks where necessary, but not to `Any`, which here names the type and not a declaration.
  private static func quoted(_ name: String) -> String {
    var result = ""
    var rest = name[...]
    while let first = rest.first {
      let part = rest.prefix { isPart($0) == isPart(first) }
      let word = String(part)
      result += isPart(first) && word != "Any" ? identifier(word) : word
      rest = rest[part.endIndex...]
    }
    return result
  }

  /// The names in the name of a type, such as `Array` and `Int` in `Array<Int>`.
  static func words(in type: String) -> [String] { type.split { !isPart($0) }.map(String.init) }

  private static func isPart(_ character: Character) -> Bool {
    !character.isASCII || character.isLetter || character.isASCIIDigit || character == "_"
  }
}

extension Character {
  fileprivate var isASCIIDigit: Bool { isASCII && isNumber }
}

/// Spells values as in Swift source code.
enum SourceLiteral {
  static func text(_ text: String) -> String { text.debugDescription }

  static func value(_ value: CodedValue, of type: StoredTypeName) -> String {
    let name = SourceName.type(type.name)
    guard let raw = type.rawName else { return literal(value, of: name) }
    // The initialiser of an enum is failable; the initialiser of an option set is not.
    return "(\(name)(rawValue: \(literal(value, of: raw))) as \(name)?)!"
  }

  private static func literal(_ value: CodedValue, of type: String) -> String {
    switch value {
    case .bool, .integer, .unsigned, .number: "\(value)"
    case .string(let string): text(string)
    case .special(let number): "\(type)(\(text(number)))!"
    case .decimal(let digits): "Decimal(string: \(text(digits)))!"
    case .date(let seconds): "Date(timeIntervalSinceReferenceDate: \(seconds))"
    case .uuid(let digits): "UUID(uuidString: \(text(digits)))!"
    case .url(let address): "URL(string: \(text(address)))!"
    case .data(let data): "Data(base64Encoded: \(text(data.base64EncodedString())))!"
    }
  }
}

extension Schema.Attribute.Option {
  /// The option as an argument of `@Attribute`.
  var sourceText: String {
    guard let name = transformerName else { return debugDescription }
    // A schema contains only the name of the transformer: a registered name, or the name of its type. With any other
    // name, a container of this version could not be opened.
    let isType = SourceName.isPlain(name) && name.first?.isUppercase == true && transformer == nil
    return ".transformable(by: \(isType ? "\(SourceName.identifier(name)).self" : SourceLiteral.text(name)))"
  }
}
