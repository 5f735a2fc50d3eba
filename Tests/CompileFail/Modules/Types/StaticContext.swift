// A static constant cannot be a context, because all threads could use the context.
// expect: static property 'context' is not concurrency-safe
import SwiftData

private enum Everybodys {
  static let context = ModelContext(container())
}
