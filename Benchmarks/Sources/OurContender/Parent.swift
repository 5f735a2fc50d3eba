import BenchmarkCore
import Foundation
import SwiftData

/// A parent, declared as in an application.
@Model
final class Parent {
  var name: String
  @Relationship(deleteRule: .cascade, inverse: \Child.parent) var children: [Child] = []

  init(name: String) {
    self.name = name
  }
}

/// A child, declared as in an application. The library automatically creates an index on the reference to the parent.
@Model
final class Child {
  var name: String
  var number: Int
  var parent: Parent?

  init(_ values: ChildValues) {
    name = values.name
    number = values.number
  }
}

extension Child: ChildFields {}
