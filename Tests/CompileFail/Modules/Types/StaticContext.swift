// A context that all code shares is safe for none.
// expect: static property 'context' is not concurrency-safe
import SwiftData

private enum Everybodys {
  static let context = ModelContext(container())
}
