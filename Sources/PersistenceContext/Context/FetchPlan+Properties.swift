import Foundation
import PersistenceQueries
import PersistenceRuntime
import PersistenceSupport

extension FetchPlan {
  /// The mask of the properties to read: those of `propertiesToFetch`, or all.
  ///
  /// A longer key path reads the property that it begins with.
  /// - Throws: `SwiftDataError.unsupportedKeyPath` for a key path that does not begin with a stored property.
  static func mask(of keyPaths: [PartialKeyPath<T>], in map: IdentityMap) throws -> UInt64 {
    guard !keyPaths.isEmpty else { return PropertyMask.all }
    let entity = map.entity
    return try keyPaths.reduce(entity.constantMask) { mask, keyPath in
      if let property = entity.property(at: keyPath) { return mask | property.bit }
      let path = map.valuePath(of: keyPath)
      if path?.steps.isEmpty == true, path?.column == .key { return mask }
      guard let position = path?.firstPosition else {
        throw SwiftDataError(
          .unsupportedKeyPath,
          "propertiesToFetch of a fetch of \(entity.name) has a key path to a \(type(of: keyPath).valueType) that is "
            + "not stored. List stored properties; what is computed of them is there when they are.")
      }
      return mask | entity.properties[position].bit
    }
  }
}

extension ValuePath {
  /// The position of the model's property that the path begins with; nil for the primary key, which is always read.
  fileprivate var firstPosition: Int? {
    if let step = steps.first { return step.position }
    return switch column {
    case .property(let position, _), .relationship(let position): position
    case .key: nil
    }
  }
}
