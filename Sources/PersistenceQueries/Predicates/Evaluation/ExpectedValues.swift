import PersistenceRuntime
import PersistenceSupport

/// What the rows of changed and deleted objects had when they were read, in the columns that are written, or in all of a
/// deleted row: for a store that compares while it writes.
package struct ExpectedValues {
  /// A property of an object.
  private struct Place: Hashable {
    let object: ObjectIdentifier
    let position: Int
  }

  private let values: [Place: QueryValue]
  /// The deleted objects by the properties that were read.
  package let deletions: [ComparedDeletion]

  /// Nil if a value was not read, or has no one stored form that a database compares.
  ///
  /// - Parameters:
  ///   - deleted: The objects whose rows go.
  ///   - originals: Calls a function with the values before the changes. Of several of one property the last counts.
  ///   - key: The key in the value of a to-one relationship; 0 for none.
  package init?(
    of objects: ContiguousArray<AnyObject>, deleted: ContiguousArray<AnyObject>, in entity: EntityLayout,
    originals: (_ note: (AnyObject, _ position: Int, _ value: Any) -> Void) -> Void,
    key: @escaping (Any) -> Int64?
  ) {
    guard let deletions = ComparedDeletion.all(of: deleted, in: entity) else { return nil }
    self.deletions = deletions
    var values: [Place: QueryValue] = [:]
    values.reserveCapacity(objects.count)
    originals { object, position, value in
      let place = Place(object: ObjectIdentifier(object), position: position)
      values[place] = Self.stored(value, as: entity.properties[position], key)
    }
    self.values = values
    guard covers(objects, in: entity) else { return nil }
  }

  /// Whether it has all that is changed in some objects by now.
  package func covers(_ objects: ContiguousArray<AnyObject>, in entity: EntityLayout) -> Bool {
    // Most objects have changed in the same properties.
    var (mask, positions): (UInt64, [Int]) = (0, [])
    for object in objects {
      let own = entity.model(object)._$state.pointee.dirty & entity.storedMask
      if own != mask { (mask, positions) = (own, Self.written(own, of: entity)) }
      let identity = ObjectIdentifier(object)
      for position in positions where values[Place(object: identity, position: position)] == nil { return false }
    }
    return true
  }

  /// The values of objects that are written with one mask: a list for each column, in their order.
  package func columns(of objects: ContiguousArray<AnyObject>, mask: UInt64, in entity: EntityLayout) -> [[QueryValue]]
  {
    Self.written(mask, of: entity).map { position in
      objects.map { values[Place(object: ObjectIdentifier($0), position: position)] ?? .null }
    }
  }

  /// The positions of the properties of a mask that have columns, of those that share the last bit the first: none of these is compared.
  private static func written(_ mask: UInt64, of entity: EntityLayout) -> [Int] {
    var (positions, rest): ([Int], UInt64) = ([], mask & entity.storedMask)
    while rest != 0 {
      positions.append(rest.trailingZeroBitCount)
      rest &= rest - 1
    }
    return positions
  }

  private static func stored(_ value: Any, as property: PropertyLayout, _ key: (Any) -> Int64?) -> QueryValue? {
    // From the 64th on a bit is that of several properties, of which not all have changed.
    guard property.position < PropertyMask.sharedPosition, property.columns.count == 1, property.composite == nil,
      property.outOfRowValue == nil, property.columns[0].format != .json
    else { return nil }
    if property.isRelationship { return key(value).map { $0 == 0 ? .null : .integer($0) } }
    // The casts of the others take most of the time.
    if let number = value as? Double, !number.isNaN {
      return number == 0 && number.sign == .minus ? nil : .real(number)
    }
    if let number = value as? Int { return .integer(Int64(number)) }
    return isItsForm(value) ? try? QueryValueConversion.convert(value) : nil
  }

  /// Whether a text or number is stored as it is. What it is beside its stored form, another row may be as well.
  private static func isItsForm(_ value: Any) -> Bool {
    guard let value = DefaultValue.unwrapped(value) else { return true }
    func rawValue<Value: RawRepresentable>(_ value: Value) -> Any { value.rawValue }
    switch RawStorage.value(of: value).map({ rawValue($0) }) ?? value {
    case let text as String: return StoredText.differingForm(of: text) == nil
    case let text as Character: return StoredText.differingForm(of: String(text)) == nil
    case let number as any BinaryFloatingPoint: return !(number.isZero && number.sign == .minus)
    default: return true
    }
  }
}
