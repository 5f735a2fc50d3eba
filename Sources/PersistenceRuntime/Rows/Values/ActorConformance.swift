import PersistenceSupport
import _CSwiftRuntime

/// Whether the conformances that decide how values are stored may be used where the code runs.
///
/// In a module that is isolated to the main actor, types conform to `Codable` there unless they say otherwise. Such a
/// conformance works on its actor alone. Generated code belongs to no actor, so what the compiler would refuse is asked
/// here: a cast of a value finds an isolated conformance on its actor only. A cast of a metatype finds it anywhere, which is
/// why it is not enough, and why a schema is the same wherever it is read.
package enum ActorConformance {
  /// Whether the conformance by which values of the type are stored may be used here.
  package static func isUsable(_ type: any Any.Type) -> Bool {
    RawStorage.type(of: type) == nil ? codesHere(type) : hasRawValuesHere(type)
  }

  /// Whether a type has its raw values here, if it has any.
  package static func hasRawValuesHere(_ type: any Any.Type) -> Bool {
    func probe<T>(_ type: T.Type) -> Any { RawValueProbe<T>() }
    return !(type is any RawRepresentable.Type) || isFound(_openExistential(type, do: probe))
  }

  /// Whether values of a type are encoded and decoded here, if they are anywhere.
  static func codesHere(_ type: any Any.Type) -> Bool {
    func probe<T>(_ type: T.Type) -> Any { CodableProbe<T>() }
    return !(type is any (Decodable & Encodable).Type) || isFound(_openExistential(type, do: probe))
  }

  /// Whether the type has raw values by a conformance that belongs to an actor.
  static func hasIsolatedRawValues(_ type: any Any.Type) -> Bool {
    isolation(of: type) & OSD_ISOLATED_RAW_VALUES != 0
  }

  /// Whether the type encodes itself, or is decoded, by a conformance that belongs to an actor.
  static func isCodedInActor(_ type: any Any.Type) -> Bool {
    isolation(of: type) & OSD_ISOLATED_CODING != 0
  }

  // Unsafe only in form: the runtime takes a metatype by its address.
  private static func isolation(of type: any Any.Type) -> Int32 {
    osd_isolated_conformances(unsafeBitCast(type, to: UnsafeRawPointer.self))
  }

  private static func isFound(_ probe: Any) -> Bool { probe is any UsableHere }
}

/// What a probe is when the conformance that it asks for can be used.
private protocol UsableHere {}

// A value for each question, because there may be no value of the type itself.
private struct RawValueProbe<T> {}
private struct CodableProbe<T> {}

extension RawValueProbe: UsableHere where T: RawRepresentable {}
extension CodableProbe: UsableHere where T: Codable {}

extension PropertyLayout {
  /// Whether the property is stored by raw values that its type has on an actor only.
  var isActorBound: Bool {
    kind == .attribute && RawStorage.type(of: valueType) != nil && ActorConformance.hasIsolatedRawValues(valueType)
  }
}

extension RowFailure {
  /// Says that a value has to be read or written on another actor.
  package func recordElsewhere(_ type: any Any.Type, property: Int, key: Int64?) {
    let type = (type as? any OptionalValue.Type)?.wrappedType ?? type
    record(
      .valueNotStorable, property: property, key: key,
      "\(type) conforms to Codable or RawRepresentable on an actor, and this code does not run there; "
        + "declare the type as 'nonisolated', or use the context on that actor")
  }
}
