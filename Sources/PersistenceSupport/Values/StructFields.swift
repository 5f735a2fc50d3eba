@_spi(Reflection) import Swift

/// One stored field of a struct.
package struct StructField {
  package let name: String
  /// The offset of the field in the struct, in bytes.
  package let offset: Int
  package let type: any Any.Type
  /// The key path from the struct to the field. It equals the key path literal.
  package let keyPath: AnyKeyPath
}

/// Lists the stored fields of those structs whose values can be split into fields, and created from them.
package enum StructFields {
  /// The fields in order. Nil if the type is no Codable struct, or if some of its bytes belong to no known field.
  package static func all<Value>(of type: Value.Type) -> [StructField]? {
    // Reflection needs a nominal type. The guard excludes existentials, functions and tuples: they are never Codable.
    guard type is any (Decodable & Encodable).Type else { return nil }
    return known(type)
  }

  /// Like ``all(of:)``, but the struct need not be Codable.
  package static func stored<Value>(in type: Value.Type) -> [StructField]? {
    MetadataKind.isStruct(type) ? known(type) : nil
  }

  private static func known<Value>(_ type: Value.Type) -> [StructField]? {
    guard !ToolchainModules.define(type), let fields = reflected(type), !fields.isEmpty else { return nil }
    return cover(type, fields) ? fields : nil
  }

  /// Returns nil for classes, and for structs with a field that is not stored as its type, such as a weak field.
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

  /// The name of a property in the source. The stored name of a lazy property has a prefix.
  private static func plain(_ name: String) -> String {
    let prefix = "$__lazy_storage_$_"
    return name.hasPrefix(prefix) ? String(name.dropFirst(prefix.count)) : name
  }

  /// Returns true if the fields cover all bytes of the struct, so that setting every field initialises the value. False
  /// for C structs with bit fields, and for structs that were compiled without reflection metadata.
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

/// The modules whose structs are never split into fields, because their fields are private and may change.
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

  /// The name of the module that declares a type, or of the module of the extension in which the type is nested.
  private static func module(of type: any Any.Type) -> String {
    let name = String(reflecting: type)
    let prefix = "(extension in "
    let start = name.hasPrefix(prefix) ? name.index(name.startIndex, offsetBy: prefix.count) : name.startIndex
    return String(name[start...].prefix { $0 != "." && $0 != ")" })
  }
}

/// Finds out the kind of a type, such as struct or enum.
///
/// Unsafe: it reads type metadata. This is sound, because the ABI defines the first word of metadata as the kind. The
/// other words, whose meaning depends on the kind, are not read.
package enum MetadataKind {
  fileprivate static func isStruct(_ type: any Any.Type) -> Bool { kind(of: type) == 0x200 }

  /// False for optionals, which have a kind of their own.
  package static func isEnum(_ type: any Any.Type) -> Bool { kind(of: type) == 0x201 }

  private static func kind(of type: any Any.Type) -> UInt {
    let metadata = unsafe unsafeBitCast(type, to: UnsafePointer<UInt>.self)
    return unsafe metadata[0]
  }
}
