// swift-format-ignore-file: FileScopedDeclarationPrivacy

import SourceCompatibilityModels
import SwiftData

// The subclass is declared before its superclass, because the macro must not depend on the order.
@available(iOS 26, *)
@Model
final class SportsCar: Car {
  var topSpeed: Int
  var nickname: String?

  init(name: String, doors: Int, topSpeed: Int) {
    self.topSpeed = topSpeed
    super.init(name: name, doors: doors)
  }
}

@Model
class Car: Vehicle {
  var doors: Int
  @Attribute(.unique) var plate: String?

  init(name: String, doors: Int) {
    self.doors = doors
    super.init(name: name)
  }
}

@Model
class Vehicle {
  var name: String
  var wheels = 4
  var made: Date?

  init(name: String) { self.name = name }
}

/// A protocol in an inheritance clause looks to the macro like a superclass.
protocol Named { var name: String { get } }

@Model
final class Person: Named {
  var name: String
  var age: Int

  init(name: String, age: Int) {
    self.name = name
    self.age = age
  }
}

protocol Rooted {}

/// Nested models, and models with names that the macro could misinterpret.
enum Garden {
  @Model class Plant {
    var name: String
    var height = 0

    init(name: String) { self.name = name }
  }
}

extension Garden {
  @Model final class Tree: Garden.Plant & Rooted, CustomStringConvertible {
    var rings: Int = 0 {
      didSet { observed += 1 }
    }
    var observed = 0
    @Transient var isTall = true

    init(name: String, height: Int) {
      super.init(name: name)
      self.height = height
      rings = 7
    }

    var description: String { "\(name) \(rings)" }
  }
}

@Model class Flower {
  var name: String
  var root: String?

  init(name: String) { self.name = name }
}

@Model final class Rose: Flower, Codable {
  var colour: String

  enum CodingKeys: String, CodingKey { case name, colour }

  init(name: String, colour: String) {
    self.colour = colour
    super.init(name: name)
  }

  init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: CodingKeys.self)
    colour = try container.decode(String.self, forKey: .colour)
    super.init(name: try container.decode(String.self, forKey: .name))
  }

  func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: CodingKeys.self)
    try container.encode(name, forKey: .name)
    try container.encode(colour, forKey: .colour)
  }
}

/// A model whose superclass is a model of another module.
@Model final class LocalMemo: OpenMemo {
  var stars: Int

  init(text: String, stars: Int) {
    self.stars = stars
    super.init(text: text)
  }

  override var text: String {
    didSet { stars += 1 }
  }
}
