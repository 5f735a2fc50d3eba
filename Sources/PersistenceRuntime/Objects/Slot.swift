import PersistenceSupport

extension _PersistenceRuntime {
  /// The storage of one property of a model.
  ///
  /// This type is not an optional, because Swift sets an optional stored property to nil after the init accessors of
  /// properties with defaults have run. That would erase their values.
  @frozen
  public enum Slot<Value> {
    /// The value is not loaded.
    case fault
    case value(Value)

    /// Creates an empty slot. Custom accessors write `_SwiftDataNoType()` and set the value in ``InitialValues``.
    public init() { self = .fault }

    /// The value if it is loaded, else nil.
    var known: Value? {
      if case .value(let value) = self { value } else { nil }
    }
  }
}

extension _PersistenceRuntime {
  /// A pointer to a row reader, because the parameters of an actor's initialiser must be Sendable.
  public struct RowReaderPointer: @unchecked Sendable {
    // Unchecked: only the initialiser uses the pointer, while the caller waits.
    private let pointer: UnsafeMutablePointer<RowReader>

    /// The row reader.
    public var reader: _PersistenceRuntime.RowReader {
      get { unsafe pointer.pointee }
      nonmutating _modify { yield unsafe &pointer.pointee }
    }

    /// Creates a model from a row.
    public static func with<Model>(
      _ row: inout _PersistenceRuntime.RowReader, _ make: (_PersistenceRuntime.RowReaderPointer) -> Model
    ) -> Model {
      unsafe withUnsafeMutablePointer(to: &row) { unsafe make(RowReaderPointer(pointer: $0)) }
    }
  }
}

extension _PersistenceRuntime {
  /// An empty substitute for ``ModelState``, used by accessors of a class that inherits its state from a superclass.
  ///
  /// An initialiser sets the subclass's properties before the inherited state exists, so these functions do nothing.
  /// Once the superclass's properties have values, the superclass's accessors handle the subclass's relationships too.
  @frozen
  public struct InheritedState {
    @inlinable
    public init() {}

    @inlinable
    public func _$didInitialize<Value>(_ value: Value) {}

    @inlinable
    public func _$isComplete(_ index: UInt32, of count: UInt32) -> Bool { false }

    @inlinable
    public func _$isComplete(_ index: UInt32, of count: UInt32, in set: inout _PersistenceRuntime.InheritedState)
      -> Bool
    { false }

    @inlinable
    public var _$isReaching: Bool { false }

    @inlinable
    public func _$isReaching<Model: PersistentModel>(_ type: Model.Type, at offset: @autoclosure () -> Int) -> Bool {
      false
    }

    @inlinable
    public func _$join<Model: PersistentModel>(_ type: Model.Type, at offset: Int) {}
  }
}

/// A property of an object whose read failed.
///
/// Reading a property cannot throw, so it returns a placeholder. The slot stays empty and the next read tries again.
/// Until the error has been reported, every save that may depend on the placeholder fails.
package struct FailedRead {
  package let position: Int
  package var cause: any Error
  /// Whether the program may have got a placeholder. False if only a fetch failed to read the property.
  package var isSeen: Bool
  /// Whether a change of the property was rejected.
  package var isRefused = false
  /// Whether a save has thrown the error.
  package var isReported = false

  package init(
    position: Int, cause: any Error, isSeen: Bool = true, isRefused: Bool = false, isReported: Bool = false
  ) {
    self.position = position
    self.cause = cause
    self.isSeen = isSeen
    self.isRefused = isRefused
    self.isReported = isReported
  }

  /// True if the stored value cannot be decoded as the property's type, so that every further read fails, too.
  package var isOfValue: Bool { (cause as? SwiftDataError)?.kind == .corruptValue }
}

extension ModelState {
  package mutating func forgetFailedReads(where isOver: (FailedRead) -> Bool) {
    guard hasFailedReads, let extras else { return }
    extras.failedReads.removeAll(where: isOver)
    hasFailedReads = !extras.failedReads.isEmpty
  }

  package func changeFailedRead(at position: Int, _ change: (inout FailedRead) -> Void) {
    guard let extras, let index = extras.failedReads.firstIndex(where: { $0.position == position }) else { return }
    change(&extras.failedReads[index])
  }
}

extension EntityLayout {
  /// Casts an object of the entity's identity map to a model without a dynamic cast: the map holds no other types.
  package func model(_ object: AnyObject) -> any PersistentModel {
    Self.model(object, as: modelType)
  }

  @inlinable package static func model<T: PersistentModel>(_ object: AnyObject, as type: T.Type) -> any PersistentModel
  {
    unsafeDowncast(object, to: T.self)
  }

  /// Describes the values of an object's unique properties for an error.
  package func uniqueValues(of model: any PersistentModel) -> [String] {
    func value<T: PersistentModel>(_ model: T, _ property: PropertyLayout) -> String {
      model[keyPath: property.keyPath].map { "\(property.name): \($0)" } ?? property.name
    }
    return Set(uniquePositions).sorted().map { value(model, properties[$0]) }
  }
}
