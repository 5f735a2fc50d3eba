import Foundation
import PersistenceSupport

// Generated code does not know a property's type: overload resolution selects the storage. A type may satisfy several
// constraints, since a program may make a date or an array `RawRepresentable`, and a model `Codable`. These protocols
// order the overloads strictly: among members of protocol extensions Swift prefers that of the refining protocol,
// whatever the parameters, and prefers a member of the type itself to both. The extensions apply to one type only, so
// no conformance is looked up at run time (decision 41).
//
//   itself   models, and values that a column stores directly
//   1        Foundation's and the standard library's types that are stored by their Codable conformance
//   2        optional raw values
//   3        optional Codable values
//   4        raw values
//   5        Codable values
//   6        anything else: the form is selected at run time
//
// All but the last require `SendableMetatype`, which an isolated conformance does not satisfy. Types with isolated
// conformances are left to the last rank, which checks the current isolation.

extension _PersistenceRuntime {
  public protocol _$Rank1: _$Rank2 {}
  public protocol _$Rank2: _$Rank3 {}
  public protocol _$Rank3: _$Rank4 {}
  public protocol _$Rank4: _$Rank5 {}
  public protocol _$Rank5: _$Rank6 {}
  public protocol _$Rank6 {}

  /// A type of Foundation or the standard library that is stored by its Codable conformance, even if a program makes it
  /// `RawRepresentable`.
  public protocol StandardCodable: Decodable, Encodable {}
}

extension RowReader: _$Rank1 {}
extension RowWriter: _$Rank1 {}

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
