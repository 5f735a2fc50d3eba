/// Generates a value type for a model: `Value`, a Sendable, Codable and Hashable structure. Ours.
///
/// The structure has the stored properties of the model that are not private. For related models it has their
/// identifiers. Transformable attributes are omitted. The types of all other properties must be Sendable, Codable and
/// Hashable. In a module that is isolated to the main actor, these types must be `nonisolated`. A subclass uses the
/// value type of its superclass.
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
/// - Parameter leavingOut: The names of properties to omit.
@attached(
  member, conformances: ValueReadable, names: named(Value), named(_$valuePositions), named(_$value),
  named(_$decodeValues)
)
@attached(extension, conformances: ValueReadable)
public macro ModelValue(leavingOut: String...) =
  #externalMacro(module: "OpenSwiftDataMacros", type: "ModelValueMacro")
