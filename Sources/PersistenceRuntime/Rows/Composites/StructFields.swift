@_spi(Reflection) import Swift

/// One stored field of a struct.
struct StructField {
  let name: String
  /// Where the field begins in a value of the struct.
  let offset: Int
  let type: any Any.Type
  /// Leads from the struct to the field; equal to the literal.
  let keyPath: AnyKeyPath
}

/// Lists the stored fields of structs whose values can be taken apart and put together field by field.
enum StructFields {
  /// The fields in order; nil where a type is no Codable struct, or not all of its bytes are known to be fields.
  static func all<Value>(of type: Value.Type) -> [StructField]? {
    // Reflection may be asked about declared types only; protocols, functions and tuples are never Codable.
    guard type is any (Decodable & Encodable).Type else { return nil }
    return known(type)
  }

  /// The fields of a struct that need not be Codable; nil where a type is no struct, or not all of its bytes are known.
  static func stored<Value>(in type: Value.Type) -> [StructField]? {
    MetadataKind.isStruct(type) ? known(type) : nil
  }

  private static func known<Value>(_ type: Value.Type) -> [StructField]? {
    guard !ToolchainModules.define(type), let fields = reflected(type), !fields.isEmpty else { return nil }
    return cover(type, fields) ? fields : nil
  }

  /// Fails for classes, and for fields that are not simply held: weak ones are no values of their type in memory.
  private static func reflected<Value>(_ type: Value.Type) -> [StructField]? {
    var fields: [StructField] = []
    let isComplete = _forEachFieldWithKeyPath(of: type) { name, keyPath in
      guard let offset = MemoryLayout<Value>.offset(of: keyPath) else { return false }
      fields.append(
        StructField(
          name: plain(String(cString: name)), offset: offset, type: Swift.type(of: keyPath).valueType, keyPath: keyPath)
      )
      return true
    }
    return isComplete ? fields : nil
  }

  /// What a lazy property is called in the source.
  private static func plain(_ name: String) -> String {
    let prefix = "$__lazy_storage_$_"
    return name.hasPrefix(prefix) ? String(name.dropFirst(prefix.count)) : name
  }

  /// Whether the fields lie one after the other and nothing is left: then whoever initialises them all has a value.
  /// A struct of C with bit fields, or one that was compiled without its reflection metadata, fails here.
  private static func cover<Value>(_ type: Value.Type, _ fields: [StructField]) -> Bool {
    var end = 0
    for field in fields {
      let extent = TypeExtent(field.type)
      // What has no bytes is anywhere.
      if extent.size == 0 { continue }
      guard field.offset == extent.offset(after: end) else { return false }
      end = field.offset + extent.size
    }
    return end == MemoryLayout<Value>.size
  }
}

/// How much memory a value of a type takes.
struct TypeExtent {
  let size: Int
  let alignment: Int

  init(_ type: any Any.Type) {
    func size<Value>(_: Value.Type) -> Int { MemoryLayout<Value>.size }
    func alignment<Value>(_: Value.Type) -> Int { MemoryLayout<Value>.alignment }
    self.size = _openExistential(type, do: size)
    self.alignment = _openExistential(type, do: alignment)
  }

  /// The first place at or after another where a value may be.
  func offset(after end: Int) -> Int {
    (end + alignment - 1) / alignment * alignment
  }
}

/// The modules whose structs are never taken apart: their fields are their own business and may be others tomorrow.
enum ToolchainModules {
  static let names: Set<String> = [
    "Swift", "_Concurrency", "_StringProcessing", "RegexBuilder", "Synchronization", "Observation", "Distributed",
    "Foundation", "FoundationEssentials", "FoundationInternationalization", "FoundationNetworking", "FoundationXML",
    "Dispatch", "CoreFoundation", "CoreGraphics", "__C",
    // The library's own. A type is declared in one of the modules that PersistenceCore exports.
    "PersistenceSupport", "PersistenceRuntime", "PersistenceSchemas", "PersistenceQueries", "PersistenceContext",
    "PersistenceContainer", "PersistenceSpellings", "PersistenceCore", "PersistenceExtensions",
  ]

  static func define(_ type: any Any.Type) -> Bool { names.contains(module(of: type)) }

  /// The module that declares a type. One that is nested in an extension is declared by the extension's module.
  private static func module(of type: any Any.Type) -> String {
    let name = String(reflecting: type)
    let prefix = "(extension in "
    let start = name.hasPrefix(prefix) ? name.index(name.startIndex, offsetBy: prefix.count) : name.startIndex
    return String(name[start...].prefix { $0 != "." && $0 != ")" })
  }
}
