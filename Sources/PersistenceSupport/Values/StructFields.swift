@_spi(Reflection) import Swift

/// One stored field of a struct.
package struct StructField {
  package let name: String
  /// The offset of the field in the struct, in bytes.
  package let offset: Int
  package let type: any Any.Type
  /// The key path from the struct to the field; equal to the literal.
  package let keyPath: AnyKeyPath
}

/// Lists the stored fields of structs whose values can be decomposed and composed field by field.
package enum StructFields {
  /// The fields in order; nil if the type is not a Codable struct, or has bytes that belong to no known field.
  package static func all<Value>(of type: Value.Type) -> [StructField]? {
    // Reflection supports nominal types only; existentials, functions and tuples are never Codable.
    guard type is any (Decodable & Encodable).Type else { return nil }
    return known(type)
  }

  /// The fields of a struct that need not be Codable; nil for other types, or if bytes do not belong to a known field.
  package static func stored<Value>(in type: Value.Type) -> [StructField]? {
    MetadataKind.isStruct(type) ? known(type) : nil
  }

  private static func known<Value>(_ type: Value.Type) -> [StructField]? {
    guard !ToolchainModules.define(type), let fields = reflected(type), !fields.isEmpty else { return nil }
    return cover(type, fields) ? fields : nil
  }

  /// Returns nil for classes, and for fields whose storage differs from their type, such as weak ones.
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

  /// The name of a property in the source, which for a lazy property differs from the stored name.
  private static func plain(_ name: String) -> String {
    let prefix = "$__lazy_storage_$_"
    return name.hasPrefix(prefix) ? String(name.dropFirst(prefix.count)) : name
  }

  /// Whether the fields cover all bytes, so that initialising every field initialises the value. False for C structs
  /// with bit fields, and for structs compiled without reflection metadata.
  private static func cover<Value>(_ type: Value.Type, _ fields: [StructField]) -> Bool {
    var end = 0
    for field in fields {
      let extent = TypeExtent(field.type)
      // A field without bytes may have any offset.
      if extent.size == 0 { continue }
      guard field.offset == extent.offset(after: end) else { return false }
      end = field.offset + extent.size
    }
    return end == MemoryLayout<Value>.size
  }
}

/// The size and alignment of a type.
package struct TypeExtent {
  package let size: Int
  package let alignment: Int

  package init(_ type: any Any.Type) {
    func size<Value>(_: Value.Type) -> Int { MemoryLayout<Value>.size }
    func alignment<Value>(_: Value.Type) -> Int { MemoryLayout<Value>.alignment }
    self.size = _openExistential(type, do: size)
    self.alignment = _openExistential(type, do: alignment)
  }

  /// The first aligned offset that is not less than a given offset.
  package func offset(after end: Int) -> Int {
    (end + alignment - 1) / alignment * alignment
  }
}

/// The modules whose structs are never decomposed: their fields are private and may change.
package enum ToolchainModules {
  package static let names: Set<String> = [
    "Swift", "_Concurrency", "_StringProcessing", "RegexBuilder", "Synchronization", "Observation", "Distributed",
    "Foundation", "FoundationEssentials", "FoundationInternationalization", "FoundationNetworking", "FoundationXML",
    "Dispatch", "CoreFoundation", "CoreGraphics", "__C",
    // The library's own modules. Programs import PersistenceCore, but the types belong to modules that it exports.
    "PersistenceSupport", "PersistenceRuntime", "PersistenceSchemas", "PersistenceQueries", "PersistenceContext",
    "PersistenceBackingData", "PersistenceContainer", "PersistenceHistory", "PersistenceLiveQueries",
    "PersistenceSpellings", "PersistenceCore", "PersistenceExtensions", "PersistenceStores",
  ]

  package static func define(_ type: any Any.Type) -> Bool { names.contains(module(of: type)) }

  /// The module that declares a type. For a type nested in an extension it is the extension's module.
  private static func module(of type: any Any.Type) -> String {
    let name = String(reflecting: type)
    let prefix = "(extension in "
    let start = name.hasPrefix(prefix) ? name.index(name.startIndex, offsetBy: prefix.count) : name.startIndex
    return String(name[start...].prefix { $0 != "." && $0 != ")" })
  }
}

/// Tests the kind of a type.
///
/// Unsafe: it reads metadata. Sound, because the ABI defines the first word of all metadata as its kind. No other word
/// is read: the meaning of the other words depends on the kind.
package enum MetadataKind {
  fileprivate static func isStruct(_ type: any Any.Type) -> Bool { kind(of: type) == 0x200 }

  /// False for optionals, which have a separate kind.
  package static func isEnum(_ type: any Any.Type) -> Bool { kind(of: type) == 0x201 }

  private static func kind(of type: any Any.Type) -> UInt {
    let metadata = unsafe unsafeBitCast(type, to: UnsafePointer<UInt>.self)
    return unsafe metadata[0]
  }
}
