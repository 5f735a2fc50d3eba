/// Gives a model a value type, `Value`: a structure with what a store has of the model, Sendable, Codable and Hashable.
///
/// It has a property for each stored one of the model that is not private, with identifiers in the place of models.
/// Every type has to be Sendable, Codable and Hashable, but for what is left out by name, and for transformable
/// attributes, which values are always without. Values cross actors, so in a module that is isolated to the main actor such a
/// type is declared as `nonisolated`. A class that inherits from another one has the value of that.
///
/// ```swift
/// @Model @ModelValue(leavingOut: "scan") final class Book {
///   var title: String
///   var author: Author?      // PersistentIdentifier?
///   var chapters: [Chapter]  // [PersistentIdentifier]
///   var scan: Data?
///   …
/// }
///
/// let values: [Book.Value] = try context.fetchValues(FetchDescriptor<Book>())
/// let value = Book.Value(book)
/// ```
@attached(
  member, conformances: ValueReadable, names: named(Value), named(_$valuePositions), named(_$value),
  named(_$decodeValues)
)
@attached(extension, conformances: ValueReadable)
public macro ModelValue(leavingOut: String...) =
  #externalMacro(module: "OpenSwiftDataMacros", type: "ModelValueMacro")
