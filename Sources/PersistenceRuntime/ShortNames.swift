import PersistenceSupport

// The library's own code uses these types without the prefix `_PersistenceRuntime`.
@usableFromInline package typealias ColumnFormat = _PersistenceRuntime.ColumnFormat
@usableFromInline package typealias ColumnReadFunctions = _PersistenceRuntime.ColumnReadFunctions
@usableFromInline package typealias ColumnWriteFunctions = _PersistenceRuntime.ColumnWriteFunctions
@usableFromInline package typealias IdentityMap = _PersistenceRuntime.IdentityMap
@usableFromInline package typealias InheritedState = _PersistenceRuntime.InheritedState
@usableFromInline package typealias ModelState = _PersistenceRuntime.ModelState
@usableFromInline package typealias PropertyMask = _PersistenceRuntime.PropertyMask
@usableFromInline package typealias RelationshipSlotOperation = _PersistenceRuntime.RelationshipSlotOperation
@usableFromInline package typealias RowFailure = _PersistenceRuntime.RowFailure
@usableFromInline package typealias RowReaderPointer = _PersistenceRuntime.RowReaderPointer
@usableFromInline package typealias RowReader = _PersistenceRuntime.RowReader
@usableFromInline package typealias RowWriter = _PersistenceRuntime.RowWriter
@usableFromInline package typealias Slot = _PersistenceRuntime.Slot
@usableFromInline package typealias StandardCodable = _PersistenceRuntime.StandardCodable
@usableFromInline package typealias StorableValue = _PersistenceRuntime.StorableValue
@usableFromInline package typealias StorageClass = _PersistenceRuntime.StorageClass
package typealias UniquenessPolicy = _PersistenceRuntime.UniquenessPolicy
@usableFromInline package typealias _$NoFields = _PersistenceRuntime._$NoFields
@usableFromInline package typealias _$Rank1 = _PersistenceRuntime._$Rank1
@usableFromInline package typealias _$Rank2 = _PersistenceRuntime._$Rank2
@usableFromInline package typealias _$Rank3 = _PersistenceRuntime._$Rank3
@usableFromInline package typealias _$Rank4 = _PersistenceRuntime._$Rank4
@usableFromInline package typealias _$Rank5 = _PersistenceRuntime._$Rank5
@usableFromInline package typealias _$Rank6 = _PersistenceRuntime._$Rank6
@usableFromInline package typealias _$Storable = _PersistenceRuntime._$Storable
