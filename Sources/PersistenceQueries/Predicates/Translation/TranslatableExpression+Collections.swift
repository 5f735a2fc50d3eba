import Foundation
import PersistenceRuntime
import PersistenceSupport

// Translates collections of values: those that a column stores as JSON, and those that the predicate has captured.

extension TranslatableExpression {
  /// Appends the elements of a collection stored in one column.
  func translateStoredElements(
    into translation: inout PredicateCompiler
  ) throws(UntranslatableExpression) -> ElementScope {
    if isConstant, let collection = constant as? any ListedCollection {
      return try translation.appendElements(of: collection)
    }
    let form = try translateStoredList(into: &translation)
    let type = (Output.self as? any ListedCollection.Type)?.elementType
    return translation.appendElements(form.format, isOptional: type is any OptionalValue.Type)
  }

  /// Appends the list of elements of a collection stored in one column.
  private func translateStoredList(
    into translation: inout PredicateCompiler
  ) throws(UntranslatableExpression) -> ElementForm {
    guard let type = (Output.self as? any ListedCollection.Type)?.elementType, let form = ElementForm(type) else {
      throw UntranslatableExpression("the elements of a \(Output.self)")
    }
    try translate(into: &translation)
    translation.append(.elements(form))
    return form
  }

  /// Appends the element of a stored array at an index; nil if the index is out of bounds.
  func translateElement(
    at index: Int, into translation: inout PredicateCompiler
  ) throws(UntranslatableExpression) {
    try translateElement(into: &translation) { translation in
      translation.append(QueryValue.integer(Int64(index)))
    }
  }

  /// Appends the element of a stored array at the index that `index` appends.
  func translateElement(
    into translation: inout PredicateCompiler,
    index: (inout PredicateCompiler) throws(UntranslatableExpression) -> Void
  ) throws(UntranslatableExpression) {
    guard (Output.self as? any ListedCollection.Type)?.isUnordered == false else {
      throw UntranslatableExpression("an element of a \(Output.self) at an index")
    }
    if let model = try model(in: &translation), translation.isToMany(model) {
      throw UntranslatableExpression("a model of a relationship at an index")
    }
    let form = try translateStoredList(into: &translation)
    try index(&translation)
    translation.append(.elementAt(form.format))
  }
}

extension PredicateCompiler {
  /// Appends the elements of a captured collection.
  fileprivate mutating func appendElements(
    of collection: any ListedCollection
  ) throws(UntranslatableExpression) -> ElementScope {
    let (type, values) = (Swift.type(of: collection).elementType, try collection.queryValues())
    let format = ColumnFormat.format(of: (type as? any OptionalValue.Type)?.wrappedType ?? type)
    // The list has a format even if it is empty, because a database with static types checks the types of a comparison
    // with the elements.
    append(list: values, of: format)
    return appendElements(format, isOptional: type is any OptionalValue.Type)
  }
}
