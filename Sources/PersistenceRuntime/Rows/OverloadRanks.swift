import Foundation
import PersistenceSupport

// Generated code does not know the type of a property: overloads choose how it is stored. A type may meet the constraints
// of several at once, since a program may make a date or an array `RawRepresentable`, and a model `Codable`. So the
// overloads have a strict order, which is that of these protocols: of two members of protocol extensions, Swift takes the one
// of the protocol that inherits from the other, whatever their parameters are, and before both it takes that of the type
// itself. The extensions are for one type only, so that nothing is asked of a conformance at run time.
//
//   itself   models, and values that a column holds directly
//   1        types of Foundation and the standard library that are stored by how they encode themselves
//   2        optional raw values
//   3        optional Codable values
//   4        raw values
//   5        Codable values
//   6        anything else, whose form is found at run time
//
// All of them but the last ask for `SendableMetatype`, which every type meets and an isolated conformance does not: what
// an actor's conformance would be used for outside of it is left to the last, which looks where the code runs.

extension _PersistenceRuntime {
  public protocol _$Rank1: _$Rank2 {}
}
extension _PersistenceRuntime {
  public protocol _$Rank2: _$Rank3 {}
}
extension _PersistenceRuntime {
  public protocol _$Rank3: _$Rank4 {}
}
extension _PersistenceRuntime {
  public protocol _$Rank4: _$Rank5 {}
}
extension _PersistenceRuntime {
  public protocol _$Rank5: _$Rank6 {}
}
extension _PersistenceRuntime {
  public protocol _$Rank6 {}
}

extension RowReader: _$Rank1 {}
extension RowWriter: _$Rank1 {}

extension _PersistenceRuntime {
  /// A type of Foundation or the standard library that is stored by how it encodes itself, even where a program gives it
  /// raw values.
  public protocol StandardCodable: Decodable, Encodable {}
}

extension Array: StandardCodable where Element: Codable {}
extension ContiguousArray: StandardCodable where Element: Codable {}
extension Set: StandardCodable where Element: Codable {}
extension Dictionary: StandardCodable where Key: Codable, Value: Codable {}
extension Range: StandardCodable where Bound: Codable {}
extension ClosedRange: StandardCodable where Bound: Codable {}
extension PartialRangeFrom: StandardCodable where Bound: Codable {}
extension PartialRangeThrough: StandardCodable where Bound: Codable {}
extension PartialRangeUpTo: StandardCodable where Bound: Codable {}
extension Measurement: StandardCodable {}
extension Calendar: StandardCodable {}
extension CGFloat: StandardCodable {}
extension CGPoint: StandardCodable {}
extension CGRect: StandardCodable {}
extension CGSize: StandardCodable {}
extension CharacterSet: StandardCodable {}
extension DateComponents: StandardCodable {}
extension DateInterval: StandardCodable {}
extension Duration: StandardCodable {}
extension IndexPath: StandardCodable {}
extension IndexSet: StandardCodable {}
extension Int128: StandardCodable {}
extension Locale: StandardCodable {}
extension PersonNameComponents: StandardCodable {}
extension TimeZone: StandardCodable {}
extension UInt128: StandardCodable {}
extension URLComponents: StandardCodable {}
