import Foundation
import PersistenceRuntime

extension PredicateExpressions.DictionaryKeySubscript: TranslatableExpression
where Wrapped: TranslatableExpression, Key: TranslatableExpression {
  /// Constant-folded.
  package var constant: Output? { wrapped.isConstant ? constantValue : nil }

  package var isConstant: Bool { constant != nil }

  package func translate(into translation: inout PredicateCompiler) throws(UntranslatableExpression) {
    if let constant { return try translation.appendComparable(constant) }
    try wrapped.translateValue(into: &translation) { translation throws(UntranslatableExpression) in
      try key.translate(into: &translation)
    }
  }

  package func value(in bindings: PredicateBindings) throws -> Output {
    try wrapped.value(in: bindings)[key.value(in: bindings)]
  }
}

extension TranslatableExpression {
  /// Appends the value of a dictionary for the key that `key` appends; nil without one.
  func translateValue(
    into translation: inout PredicateCompiler,
    key: (inout PredicateCompiler) throws(UntranslatableExpression) -> Void
  ) throws(UntranslatableExpression) {
    guard let type = Output.self as? any LookedUpDictionary.Type else {
      throw UntranslatableExpression("a value of a \(Output.self)")
    }
    if let dictionary = constant as? any LookedUpDictionary {
      let format = try dictionary.appendLists(to: &translation)
      try key(&translation)
      return translation.append(.lookUp(format))
    }
    guard type.keyType == String.self, let form = ElementForm(type.valueType) else {
      throw UntranslatableExpression("a value of a stored \(Output.self)")
    }
    try translate(into: &translation)
    try key(&translation)
    translation.append(.valueForKey(form))
  }

  /// Appends the values of a dictionary stored in one column; nil if it cannot be decomposed.
  func translateStoredValues(
    into translation: inout PredicateCompiler
  ) throws(UntranslatableExpression) -> ElementScope? {
    guard let type = Output.self as? any LookedUpDictionary.Type, let form = ElementForm(type.valueType),
      type.keyType == String.self || type.keyType == Int.self
    else { return nil }
    try translate(into: &translation)
    translation.append(.elements(form))
    return translation.appendElements(form.format, isOptional: type.valueType is any OptionalValue.Type)
  }
}

/// A dictionary of any types.
private protocol LookedUpDictionary {
  static var keyType: any Any.Type { get }
  static var valueType: any Any.Type { get }
  /// Appends the keys and the values as two lists, and returns the format of the values.
  func appendLists(to translation: inout PredicateCompiler) throws(UntranslatableExpression) -> ColumnFormat
}

extension Dictionary: LookedUpDictionary {
  fileprivate static var keyType: any Any.Type { Key.self }
  fileprivate static var valueType: any Any.Type { Value.self }

  fileprivate func appendLists(
    to translation: inout PredicateCompiler
  ) throws(UntranslatableExpression) -> ColumnFormat {
    var (keys, values): ([QueryValue], [QueryValue]) = ([], [])
    for (key, value) in self {
      keys.append(try QueryValueConversion.convert(key))
      values.append(try QueryValueConversion.convert(value))
    }
    translation.append(list: keys)
    translation.append(list: values)
    return ColumnFormat.format(of: (Value.self as? any OptionalValue.Type)?.wrappedType ?? Value.self)
  }
}
