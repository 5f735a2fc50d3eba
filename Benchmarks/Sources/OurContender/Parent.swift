import BenchmarkCore
import Foundation
import SwiftData

/// A parent as an application declares it.
@Model
final class Parent {
  var name: String
  @Relationship(deleteRule: .cascade, inverse: \Child.parent) var children: [Child] = []

  init(name: String) {
    self.name = name
  }
}

/// A child as an application declares it. The library indexes the reference automatically.
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
