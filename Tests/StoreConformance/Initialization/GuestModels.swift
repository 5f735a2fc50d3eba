import ConformanceSupport
import SwiftData

/// The initialisers of the other models in this file relate their new object to a home.
@Model
final class Home {
  var name: String
  @Relationship(inverse: \ConstantGuest.home) var constants: [ConstantGuest] = []
  @Relationship(inverse: \LateGuest.home) var late: [LateGuest] = []
  @Relationship(inverse: \ConditionalGuest.home) var conditional: [ConditionalGuest] = []
  @Relationship(inverse: \NamedGuest.home) var named: [NamedGuest] = []
  @Relationship(inverse: \BranchingGuest.home) var branching: [BranchingGuest] = []
  @Relationship(inverse: \WideGuest.home) var wide: [WideGuest] = []
  @Relationship(inverse: \WidestGuest.home) var widest: [WidestGuest] = []
  @Relationship(inverse: \Animal.home) var animals: [Animal] = []
  @Relationship(inverse: \Horse.stable) var horses: [Horse] = []

  init(_ name: String) { self.name = name }
}

protocol Welcome: AnyObject {
  var name: String { get set }
}

/// A model with constants. No accessor runs when an initialiser sets a constant.
@Model
final class ConstantGuest {
  let code: Int
  let nickname: String?
  var name: String
  var home: Home
  @Transient var first, second: Int?

  init(_ name: String, home: Home) {
    self.code = name.count
    self.nickname = nil
    self.name = name
    self.home = home
  }

  /// Sets the constant `code` in several branches, and sets `home` before `name`.
  init(_ name: String, branching home: Home) throws {
    self.nickname = home.name
    if name.isEmpty {
      throw Failure()
    } else if name.count > 3 {
      code = 0
    } else {
      code = -1
    }
    self.home = home
    (self.name, first) = (name, home.constants.count)
  }

  init(_ code: Int, chosen home: Home) {
    (self.code, self.nickname) = (code, "n")
    switch code {
    case 0: self.name = "none"
    case 1, 2:
      var name = "few"
      name = name.uppercased()
      self.name = name
    default: self.name = "many"
    }
    self.home = home
  }

  convenience init(first home: Home) { self.init("first", home: home) }
}

/// A model whose initialisers set a constant last. No accessor runs then, so the generated code cannot find out when
/// the object is complete.
@Model
final class LateGuest {
  let code: String
  var name: String
  var home: Home

  init(_ name: String, home: Home) {
    self.home = home
    self.name = name
    self.code = name + name
  }
}

/// A model with members inside `#if`, which only some builds compile.
@Model
final class ConditionalGuest {
  var name: String
  var home: Home
  #if DEBUG
    @Transient var trace: [String] = []
  #else
    @Transient var count = 0
  #endif
  #if NEVER
    let never: Int
  #endif

  #if NEVER
    init() { never = 1 }
  #endif

  init(_ name: String, home: Home) {
    self.home = home
    self.name = name
  }
}

/// A model that lists a protocol first, in the position where a superclass would be.
@Model
class NamedGuest: Welcome {
  var name: String
  var home: Home?
  let code: Int

  init(_ name: String, home: Home?) {
    self.home = home
    self.code = 3
    self.name = name
  }
}

@Model
final class NamedVisitor: NamedGuest {
  var until: Int

  init(_ name: String, home: Home?, until: Int) throws {
    self.until = until
    if until < 0 { throw Failure() }
    super.init(name, home: home)
  }
}

/// A model whose initialiser sets properties in branches that join again.
@Model
final class BranchingGuest {
  var name: String
  var home: Home
  var age: Int

  /// At the point where the initialiser throws, the compiler does not know whether all properties have a value.
  init(_ name: String, home: Home, moved other: Home?, isFailing: Bool) throws {
    self.home = home
    self.age = 1
    if other != nil { self.name = "early" }
    if let other { self.home = other }
    if isFailing { throw Failure() }
    self.name = name
  }
}

@Model
class Animal {
  var name: String
  var home: Home?

  init(_ name: String) { self.name = name }
}

/// A subclass that declares a relationship. Its initialiser sets the relationship before it calls the superclass's
/// initialiser.
@Model
class Horse: Animal {
  var stable: Home?
  let height: Int
  var speed: Int

  init(_ name: String, stable: Home?) {
    self.stable = stable
    self.height = 150
    self.speed = 40
    super.init(name)
  }
}

@Model
final class Pony: Horse {
  var rider: String

  init(_ name: String, stable: Home?, rider: String) throws {
    self.rider = rider
    super.init(name, stable: stable)
    if rider.isEmpty { throw Failure() }
  }
}

enum Guests {
  static let models: [any PersistentModel.Type] = [
    Home.self, ConstantGuest.self, LateGuest.self, ConditionalGuest.self, NamedGuest.self, NamedVisitor.self,
    BranchingGuest.self, WideGuest.self, WidestGuest.self, Animal.self, Horse.self, Pony.self,
  ]
}
