import PersistenceSupport
import _CSwiftRuntime

/// Tests whether the `Codable` and `RawRepresentable` conformances of stored types are usable in the current isolation.
///
/// In a module with default isolation to the main actor, types conform to `Codable` in that isolation unless declared
/// otherwise. Generated code is nonisolated, so the compiler's check is replaced by one at run time. The cast of a
/// value finds an isolated conformance only in this isolation. The cast of a metatype finds it in any isolation, so a
/// schema does not depend on the isolation in which it is read.
package enum ActorConformance {
  /// Whether the conformance by which values of the type are stored can be used in the current isolation.
  package static func isUsable(_ type: any Any.Type) -> Bool {
    RawStorage.type(of: type) == nil ? codesHere(type) : hasRawValuesHere(type)
  }

  /// Whether the type's `RawRepresentable` conformance, if any, is usable in the current isolation.
  package static func hasRawValuesHere(_ type: any Any.Type) -> Bool {
    func probe<T>(_ type: T.Type) -> Any { RawValueProbe<T>() }
    return !(type is any RawRepresentable.Type) || isFound(_openExistential(type, do: probe))
  }

  /// Whether the type's `Codable` conformance, if any, is usable in the current isolation.
  static func codesHere(_ type: any Any.Type) -> Bool {
    func probe<T>(_ type: T.Type) -> Any { CodableProbe<T>() }
    return !(type is any (Decodable & Encodable).Type) || isFound(_openExistential(type, do: probe))
  }

  /// Whether the type's `RawRepresentable` conformance is isolated.
  static func hasIsolatedRawValues(_ type: any Any.Type) -> Bool {
    isolation(of: type) & OSD_ISOLATED_RAW_VALUES != 0
  }

  /// Whether the type's `Encodable` or `Decodable` conformance is isolated.
  static func isCodedInActor(_ type: any Any.Type) -> Bool {
    isolation(of: type) & OSD_ISOLATED_CODING != 0
  }

  // The runtime takes a metatype by its address.
  private static func isolation(of type: any Any.Type) -> Int32 {
    osd_isolated_conformances(unsafeBitCast(type, to: UnsafeRawPointer.self))
  }

  private static func isFound(_ probe: Any) -> Bool { probe is any UsableHere }
}

/// A probe conforms if its type's conformance can be used in the current isolation.
private protocol UsableHere {}

// Only the cast of a value tests the isolation. The value is a probe, because no value of the tested type is at hand.
private struct RawValueProbe<T> {}
private struct CodableProbe<T> {}

extension RawValueProbe: UsableHere where T: RawRepresentable {}
extension CodableProbe: UsableHere where T: Codable {}

extension PropertyLayout {
  /// Whether the property is stored by an isolated `RawRepresentable` conformance.
  var isActorBound: Bool {
    kind == .attribute && RawStorage.type(of: valueType) != nil && ActorConformance.hasIsolatedRawValues(valueType)
  }
}

extension RowFailure {
  /// Records a failure: the conformance is isolated to an actor on which the fetch or save does not run.
  package func recordElsewhere(_ type: any Any.Type, property: Int, key: Int64?) {
    let type = (type as? any OptionalValue.Type)?.wrappedType ?? type
    record(
      .valueNotStorable, property: property, key: key,
      "\(type) conforms to Codable or RawRepresentable on an actor, and this code does not run there; "
        + "declare the type as 'nonisolated', or use the context on that actor")
  }
}

/// Determines which types are stored as their raw values.
///
/// A program may make any type `RawRepresentable`, commonly dates and arrays. Such types keep their usual storage. Code
/// that selects the storage at run time uses this type. It agrees with the order of the overloads (``_$Rank1``).
package enum RawStorage {
  /// The type, if it is stored as its raw value and a column can store the raw value; otherwise nil.
  package static func type(of type: any Any.Type) -> (any RawRepresentable.Type)? {
    guard let raw = type as? any RawRepresentable.Type else { return nil }
    let isOther =
      type is any StorableValue.Type || type is any StandardCodable.Type || type is any OptionalValue.Type
      || type is any PersistentModel.Type
    return isOther ? nil : raw
  }

  /// The value, if values of its type are stored as raw values; otherwise nil.
  package static func value(of value: Any) -> (any RawRepresentable)? {
    guard let raw = value as? any RawRepresentable, type(of: Swift.type(of: value)) != nil else { return nil }
    return raw
  }

  /// Whether raw values that are texts are read exactly as they were written, not in their stored forms. For an enum
  /// this is irrelevant, because the read yields the case.
  package static func keepsOriginals(_ type: any Any.Type) -> Bool { !MetadataKind.isEnum(type) }
}
