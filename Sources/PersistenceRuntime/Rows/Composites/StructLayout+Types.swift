import Foundation
import PersistenceSupport

extension StructLayout {
  /// The layout of a struct; nil for other types, and for structs with a field that cannot be stored.
  static func layout(of type: any Any.Type) -> StructLayout? {
    structLayout(of: type)
  }

  private static func structLayout<Value>(of type: Value.Type) -> StructLayout? {
    guard let fields = StructFields.all(of: type) else { return nil }
    var result: [Field] = []
    var column = 0
    for field in fields {
      guard let (form, inner) = MemberForms.form(of: field.type) else { return nil }
      let member = Field(
        name: field.name, offset: field.offset, type: field.type, keyPath: field.keyPath, form: form, inner: inner,
        column: column)
      column += member.columnCount
      result.append(member)
    }
    return StructLayout(type: type, fields: result)
  }
}

/// Selects the form of a member by its type, in the order of the compile-time overloads.
enum MemberForms {
  typealias Form = (form: any MemberForm.Type, inner: StructLayout?)

  /// The form, with the layout of a composite; nil for a type that cannot be stored.
  static func form(of type: any Any.Type) -> Form? {
    if let optional = type as? any OptionalValue.Type {
      return optionalForm(of: optional.wrappedType) ?? json(type)
    }
    return requiredForm(of: type) ?? json(type)
  }

  private static func requiredForm<Value>(of type: Value.Type) -> Form? {
    if let value = requiredColumnForm(of: type) { return (value, nil) }
    return StructLayout.layout(of: type).map { (StructForm<Value>.self, $0) }
  }

  private static func optionalForm<Value>(of type: Value.Type) -> Form? {
    if let form = optionalColumnForm(of: type) { return (form, nil) }
    return StructLayout.layout(of: type).map { (OptionalStructForm<Value>.self, $0) }
  }

  /// The form of a value stored in one column whatever its type: a struct becomes JSON.
  static func columnForm<Value>(of type: Value.Type) -> (any MemberForm.Type)? {
    if let optional = type as? any OptionalValue.Type {
      return optionalColumnForm(of: optional.wrappedType) ?? json(type)?.form
    }
    return requiredColumnForm(of: type) ?? json(type)?.form
  }

  /// The form for the last rank of overloads. A type with an isolated conformance gets the form of its kind; any other
  /// type is a generic parameter of the model, stored as JSON.
  static func lastForm<Value>(of type: Value.Type) -> (any MemberForm.Type)? {
    let wrapped = (type as? any OptionalValue.Type)?.wrappedType ?? type
    let isIsolated = ActorConformance.hasIsolatedRawValues(wrapped) || ActorConformance.isCodedInActor(type)
    return isIsolated ? columnForm(of: type) : json(type)?.form
  }

  private static func requiredColumnForm(of type: any Any.Type) -> (any MemberForm.Type)? {
    if let form = frequentForm(of: type) { return form }
    if let storable = type as? any StorableValue.Type { return valueForm(of: storable) }
    return RawStorage.type(of: type).flatMap { rawForm(of: $0) }
  }

  private static func optionalColumnForm(of type: any Any.Type) -> (any MemberForm.Type)? {
    if let storable = type as? any StorableValue.Type { return optionalValueForm(of: storable) }
    return RawStorage.type(of: type).flatMap { optionalRawForm(of: $0) }
  }

  private static func frequentForm(of type: any Any.Type) -> (any MemberForm.Type)? {
    let frequent: [(any Any.Type, any MemberForm.Type)] = [
      (Double.self, DoubleForm.self), (Int.self, IntegerForm.self), (String.self, TextForm.self),
      (Bool.self, TruthForm.self), (Date.self, DateForm.self), (UUID.self, UUIDForm.self),
    ]
    return frequent.first { $0.0 == type }?.1
  }

  private static func valueForm<Value: StorableValue>(of _: Value.Type) -> any MemberForm.Type {
    ValueForm<Value>.self
  }

  private static func optionalValueForm<Value: StorableValue>(of _: Value.Type) -> any MemberForm.Type {
    OptionalValueForm<Value>.self
  }

  private static func rawForm<Value: RawRepresentable>(of _: Value.Type) -> (any MemberForm.Type)? {
    (RawForm<Value>.self as? any TypedMemberForm.Type).map {
      $0.bound(to: Value.self, ActorConformance.hasIsolatedRawValues(Value.self))
    }
  }

  private static func optionalRawForm<Value: RawRepresentable>(of _: Value.Type) -> (any MemberForm.Type)? {
    (OptionalRawForm<Value>.self as? any TypedMemberForm.Type).map {
      $0.bound(to: Value.self, ActorConformance.hasIsolatedRawValues(Value.self))
    }
  }

  /// Nil for models: one may be Codable by accident, but its JSON would be a copy.
  private static func json(_ type: any Any.Type) -> Form? {
    guard PropertyType(type).destination == nil else { return nil }
    func form<Value: Codable>(_: Value.Type) -> Form {
      (JSONForm<Value>.bound(to: Value.self, ActorConformance.isCodedInActor(Value.self)), nil)
    }
    return (type as? any (Decodable & Encodable).Type).map { form($0) }
  }
}
