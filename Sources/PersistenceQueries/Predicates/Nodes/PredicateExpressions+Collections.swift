import Foundation
import PersistenceRuntime
import PersistenceSupport

extension PredicateExpressions.CollectionContainsCollection: TranslatableExpression
where Base: TranslatableExpression, Other: TranslatableExpression {
  package func translate(into translation: inout PredicateCompiler) throws(UntranslatableExpression) {
    guard Base.Output.self == String.self, Other.Output.self == String.self else {
      throw UntranslatableExpression("a search for a \(Other.Output.self) in a \(Base.Output.self)")
    }
    try base.translate(into: &translation)
    try other.translate(into: &translation)
    translation.append(.containsText)
  }

  package static func describe(_ parts: inout ExpressionParts, at offset: Int) {
    parts.add(Base.self, at: offset, plus: MemoryLayout<Self>.offset(of: \.base))
    parts.add(Other.self, at: offset, plus: MemoryLayout<Self>.offset(of: \.other))
  }

  package func value(in bindings: PredicateBindings) throws -> Bool {
    try base.value(in: bindings).contains(other.value(in: bindings))
  }
}

extension PredicateExpressions.CollectionIndexSubscript: TranslatableExpression
where Wrapped: TranslatableExpression, Index: TranslatableExpression {
  package var constant: Output? { wrapped.isConstant ? constantValue : nil }

  package var isConstant: Bool { constant != nil }

  /// If the index is out of bounds, the store's result is unknown, whereas evaluation in memory throws.
  package func translate(into translation: inout PredicateCompiler) throws(UntranslatableExpression) {
    if let constant { return try translation.appendComparable(constant) }
    guard Index.Output.self == Int.self else {
      throw UntranslatableExpression("an element of a \(Wrapped.Output.self) at an index")
    }
    try wrapped.translateElement(into: &translation) { translation throws(UntranslatableExpression) in
      try index.translate(into: &translation)
    }
  }

  package func value(in bindings: PredicateBindings) throws -> Output {
    let (collection, index) = (try wrapped.value(in: bindings), try index.value(in: bindings))
    guard index >= collection.startIndex, index < collection.endIndex else { throw PredicateError.invalidInput }
    return collection[index]
  }
}

extension PredicateExpressions.CollectionRangeSubscript: TranslatableExpression
where Wrapped: TranslatableExpression, Range: TranslatableExpression {
  package func translate(into translation: inout PredicateCompiler) throws(UntranslatableExpression) {
    throw UntranslatableExpression("a part of a collection ([ ])")
  }

  package func value(in bindings: PredicateBindings) throws -> Output {
    let (collection, range) = (try wrapped.value(in: bindings), try range.value(in: bindings))
    guard range.lowerBound >= collection.startIndex, range.upperBound <= collection.endIndex else {
      throw PredicateError.invalidInput
    }
    return collection[range]
  }
}

extension PredicateExpressions.DictionaryKeySubscript: TranslatableExpression
where Wrapped: TranslatableExpression, Key: TranslatableExpression {
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
  /// Appends the value of a dictionary for a key; nil if the dictionary lacks the key. The closure `key` appends the
  /// key.
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

  /// Appends the values of a dictionary stored in one column. Returns nil if a store cannot list the values.
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

/// A dictionary whose types of keys and values are known only at run time.
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

extension PredicateExpressions.DictionaryKeyDefaultValueSubscript: TranslatableExpression
where Wrapped: TranslatableExpression, Key: TranslatableExpression, Default: TranslatableExpression {
  package func translate(into translation: inout PredicateCompiler) throws(UntranslatableExpression) {
    try wrapped.translateValue(into: &translation) { translation throws(UntranslatableExpression) in
      try key.translate(into: &translation)
    }
    try `default`.translate(into: &translation)
    translation.append(.coalesce)
  }

  package func value(in bindings: PredicateBindings) throws -> Output {
    try wrapped.value(in: bindings)[key.value(in: bindings)] ?? `default`.value(in: bindings)
  }
}
