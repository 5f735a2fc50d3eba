import Foundation

/// What the system said when a call failed.
package struct SystemFailure: Error, Hashable, CustomStringConvertible {
  package let code: Int32

  package init(code: Int32 = errno) {
    self.code = code
  }

  package var description: String { String(cString: strerror(code)) }

  /// The error of a store's files that the failure amounts to.
  ///
  /// - Parameter what: What could not be done, and what to do, with the failure's own words in between.
  package func storeError(_ what: (SystemFailure) -> String) -> SwiftDataError {
    let kind: SwiftDataError.Kind =
      switch code {
      case ENOSPC, EDQUOT, EFBIG: .storeFull
      case EACCES, EPERM, EROFS: .storeReadOnly
      case ENOENT, ENOTDIR, ENAMETOOLONG: .storeUnreachable
      default: .storeFailure
      }
    return SwiftDataError(kind, what(self), underlying: self)
  }
}
