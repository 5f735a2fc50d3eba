import PersistenceRuntime
import PersistenceSupport

/// The values that rows had when they were read. A store that compares rows while it writes expects these values. For a
/// changed object they are the original values of the written columns, for a deleted object those of all columns.
package struct ExpectedValues {
  /// Identifies a property of an object.
  private struct Place: Hashable {
    let object: ObjectIdentifier
    let position: Int
  }

  private let values: [Place: QueryValue]
  /// The deleted objects, grouped by the properties that were read.
  package let deletions: [ComparedDeletion]

  /// Nil if a value was not read, or if a database cannot compare it, because an equal value may be stored differently.
  ///
  /// - Parameters:
  ///   - deleted: The objects whose rows are deleted.
  ///   - originals: Calls its argument with the original value of each change. Of several values for a property, the
  ///     last one counts.
  ///   - key: Returns the key of the related model, given the value of a to-one relationship; 0 for no model.
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

  /// Whether the original values of all properties that are now changed are known.
  package func covers(_ objects: ContiguousArray<AnyObject>, in entity: EntityLayout) -> Bool {
    // The positions are reused, because most objects have changes of the same properties.
    var (mask, positions): (UInt64, [Int]) = (0, [])
    for object in objects {
      let own = entity.model(object)._$state.pointee.dirty & entity.storedMask
      if own != mask { (mask, positions) = (own, Self.written(own, of: entity)) }
      let identity = ObjectIdentifier(object)
      for position in positions where values[Place(object: identity, position: position)] == nil { return false }
    }
    return true
  }

  /// The original values of objects with the same changed properties: for each column, a list in the objects' order.
  package func columns(of objects: ContiguousArray<AnyObject>, mask: UInt64, in entity: EntityLayout) -> [[QueryValue]]
  {
    Self.written(mask, of: entity).map { position in
      objects.map { values[Place(object: ObjectIdentifier($0), position: position)] ?? .null }
    }
  }

  /// The positions of the properties of a mask that have columns. Properties that share the last bit of the mask (from
  /// the 64th on) are never compared.
  private static func written(_ mask: UInt64, of entity: EntityLayout) -> [Int] {
    var (positions, rest): ([Int], UInt64) = ([], mask & entity.storedMask)
    while rest != 0 {
      positions.append(rest.trailingZeroBitCount)
      rest &= rest - 1
    }
    return positions
  }

  private static func stored(_ value: Any, as property: PropertyLayout, _ key: (Any) -> Int64?) -> QueryValue? {
    // From the 64th property on, several properties share one bit of the mask, and some of them may be unchanged.
    guard property.position < PropertyMask.sharedPosition, property.columns.count == 1, property.composite == nil,
      property.outOfRowValue == nil, property.columns[0].format != .json
    else { return nil }
    if property.isRelationship { return key(value).map { $0 == 0 ? .null : .integer($0) } }
    // Doubles are tested first, because the casts to other types take most of the time.
    if let number = value as? Double, !number.isNaN {
      return number == 0 && number.sign == .minus ? nil : .real(number)
    }
    if let number = value as? Int { return .integer(Int64(number)) }
    return isItsForm(value) ? try? QueryValueConversion.convert(value) : nil
  }

  /// Whether a text or number is stored unchanged. Otherwise another value may have the same stored form.
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
