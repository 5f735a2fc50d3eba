// A context that everybody shares is safe for nobody.
// expect: static property 'context' is not concurrency-safe
import SwiftData

private enum Everybodys {
  static let context = ModelContext(container())
}
