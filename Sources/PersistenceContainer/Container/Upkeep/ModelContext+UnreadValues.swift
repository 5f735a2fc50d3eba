import PersistenceContext
import PersistenceRuntime
import PersistenceSupport

extension ModelContext {
  /// A stored value that could not be read. For example, another program wrote a text to a column of numbers. Ours.
  public struct UnreadValue: Sendable {
    /// The identifier of the model; nil for a row that is left out of all fetches, because no model can represent it.
    public let persistentModelID: PersistentIdentifier?
    /// The entity of the model.
    public let entityName: String
    /// The property whose value could not be read; nil for a row that is left out.
    public let propertyName: String?
    /// The error, which names the row, the column and the value.
    public let error: SwiftDataError
  }

  /// The stored values that the context could not read. Ours.
  ///
  /// A fetch succeeds even if a row has a value that its property cannot hold. The other properties of the row are read
  /// as usual. Reading the property itself tries to read the stored value again and, if that fails, returns the default
  /// of the property or an empty value. Setting the property replaces the stored value. If a change may depend on such
  /// a default, the next save throws once.
  ///
  /// ```swift
  /// let trips = try context.fetch(FetchDescriptor<Trip>())
  /// for unread in context.unreadValues { print(unread.error) }
  /// // Trip.days of row 7: the column days has the text 'many', which is no Int
  /// ```
  /// The list contains the values of models that are in memory, and the first thousand rows that are left out of all
  /// fetches. Use it only on the context's actor or thread.
  public var unreadValues: [UnreadValue] {
    var known: Set<ObjectIdentifier> = []
    let models = unreadModels.compactMap(\.model).filter { known.insert(ObjectIdentifier($0)).inserted }
    let rows = leftOutRows.sorted { ($0.key.entity, $0.key.key) < ($1.key.entity, $1.key.key) }
    let leftOut = rows.map { row, error in
      UnreadValue(persistentModelID: nil, entityName: row.entity, propertyName: nil, error: error)
    }
    return models.flatMap { unreadValues(of: $0) } + leftOut
  }

  private func unreadValues<T: PersistentModel>(of model: T) -> [UnreadValue] {
    let state = model._$state
    guard state.pointee.hasFailedReads, let map = state.pointee.identityMap, map.context === self,
      !state.pointee.flags.contains(.gone)
    else { return [] }
    return (state.pointee.extras?.failedReads ?? []).compactMap { read in
      let property = map.entity.properties[read.position]
      // Code may have set the relationship meanwhile by setting its inverse.
      let isSet = property.isRelationship && model._$edit(.find, at: read.position).isLoaded
      guard !isSet, !model._$isWritten(property) else { return nil }
      let error =
        read.cause as? SwiftDataError
        ?? SwiftDataError(
          .storeFailure, "\(Self.name(model)).\(property.name) could not be read", underlying: read.cause)
      return UnreadValue(
        persistentModelID: model.persistentModelID, entityName: map.entity.name, propertyName: property.name,
        error: error)
    }
  }
}
