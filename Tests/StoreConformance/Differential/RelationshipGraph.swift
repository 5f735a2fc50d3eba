import SwiftData

let clubModels: [any PersistentModel.Type] = [Club.self, Player.self, Locker.self, Team.self]

@Model
final class Club {
  var number: Int
  @Relationship(inverse: \Player.club) var members: [Player] = []

  init(number: Int) {
    self.number = number
  }
}

@Model
final class Player {
  var number: Int
  var club: Club?
  @Relationship(deleteRule: .cascade, inverse: \Locker.holder) var locker: Locker?
  @Relationship(inverse: \Team.players) var teams: [Team] = []
  var captain: Player?
  @Relationship(deleteRule: .cascade, inverse: \Player.captain) var crew: [Player] = []

  init(number: Int) {
    self.number = number
  }
}

@Model
final class Locker {
  var number: Int
  var holder: Player?

  init(number: Int) {
    self.number = number
  }
}

@Model
final class Team {
  var number: Int
  var players: [Player] = []

  init(number: Int) {
    self.number = number
  }
}

/// The entity of an object. The tests identify each object by a number.
enum Entity: CaseIterable {
  case club, member, locker, team
}

/// One end of a relationship.
enum End: CaseIterable {
  case members, club, locker, holder, teams, players, captain, crew

  var inverse: End {
    switch self {
    case .members: .club
    case .club: .members
    case .locker: .holder
    case .holder: .locker
    case .teams: .players
    case .players: .teams
    case .captain: .crew
    case .crew: .captain
    }
  }

  var owner: Entity {
    switch self {
    case .members: .club
    case .club, .locker, .teams, .captain, .crew: .member
    case .holder: .locker
    case .players: .team
    }
  }

  var destination: Entity { inverse.owner }
  var isToMany: Bool { [.members, .teams, .players, .crew].contains(self) }
  var cascades: Bool { self == .locker || self == .crew }
}

/// A reference implementation of inverses and delete rules. It identifies objects by numbers.
struct RelationshipGraph: Equatable {
  private(set) var objects: [Int: Entity] = [:]
  /// The numbers of the related objects of each object, in order. A to-one end has at most one.
  private var related: [End: [Int: [Int]]] = [:]

  static func == (left: RelationshipGraph, right: RelationshipGraph) -> Bool {
    left.objects == right.objects
      && End.allCases.allSatisfy { end in
        left.objects.keys.allSatisfy { left.list(end, of: $0) == right.list(end, of: $0) }
      }
  }

  func numbers(of entity: Entity) -> [Int] {
    objects.filter { $0.value == entity }.keys.sorted()
  }

  func list(_ end: End, of number: Int) -> [Int] { related[end]?[number] ?? [] }

  mutating func insert(_ number: Int, _ entity: Entity) { objects[number] = entity }

  /// Sets the related objects of an object. Afterwards both ends agree, and each object is listed once.
  mutating func set(_ end: End, of number: Int, to numbers: [Int]) {
    var known: Set<Int> = []
    let new = numbers.filter { known.insert($0).inserted }
    let old = list(end, of: number)
    write(end, number, new)
    for other in old where !known.contains(other) { remove(number, from: end.inverse, of: other) }
    for other in new where !old.contains(other) {
      if !end.inverse.isToMany {
        for owner in list(end.inverse, of: other) where owner != number { remove(other, from: end, of: owner) }
        write(end.inverse, other, [])
      }
      write(end.inverse, other, list(end.inverse, of: other) + [number])
    }
  }

  /// Deletes an object and the objects that its cascades delete, and returns their numbers.
  mutating func delete(_ number: Int) -> Set<Int> {
    var gone: Set<Int> = []
    var waiting = [number]
    while let next = waiting.popLast() {
      guard gone.insert(next).inserted else { continue }
      for end in End.allCases where end.cascades && end.owner == objects[next] { waiting += list(end, of: next) }
    }
    for number in gone {
      for end in End.allCases where end.owner == objects[number] { set(end, of: number, to: []) }
    }
    for number in gone { objects[number] = nil }
    return gone
  }

  private mutating func remove(_ number: Int, from end: End, of other: Int) {
    write(end, other, list(end, of: other).filter { $0 != number })
  }

  private mutating func write(_ end: End, _ number: Int, _ numbers: [Int]) {
    related[end, default: [:]][number] = numbers.isEmpty ? nil : numbers
  }
}

/// An in-place change of a list.
enum ListChange {
  case assign([Int])
  case append(Int)
  case insert(Int, at: Int)
  case remove(at: Int)
  case replace(at: Int, with: Int)
  case swap(Int, Int)
  case reverse
  case removeAll

  /// Changes the list, if the list has all indices that the change uses. Otherwise the list already differs from the
  /// expected list, and the next comparison reports the difference.
  func apply<T>(to list: inout [T], _ object: (Int) throws -> T) rethrows {
    guard places.allSatisfy(list.indices.contains) else { return }
    switch self {
    case .assign(let numbers): list = try numbers.map(object)
    case .append(let number): list.append(try object(number))
    case .insert(let number, let index): list.insert(try object(number), at: index)
    case .remove(let index): list.remove(at: index)
    case .replace(let index, let number): list[index] = try object(number)
    case .swap(let first, let second): list.swapAt(first, second)
    case .reverse: list.reverse()
    case .removeAll: list.removeAll()
    }
  }

  private var places: [Int] {
    switch self {
    case .insert(_, let index): index == 0 ? [] : [index - 1]
    case .remove(let index), .replace(let index, _): [index]
    case .swap(let first, let second): [first, second]
    case .assign, .append, .reverse, .removeAll: []
    }
  }

  static func random(
    _ count: Int, _ candidates: [Int], using generator: inout SeededGenerator
  ) -> ListChange? {
    guard let number = candidates.randomElement(using: &generator) else { return nil }
    let some = candidates.shuffled(using: &generator).prefix(Int.random(in: 0...4, using: &generator))
    let kind = Int.random(in: 0..<8, using: &generator)
    guard count > 0 || [0, 1, 2].contains(kind) else { return .append(number) }
    func index() -> Int { Int.random(in: 0..<count, using: &generator) }
    switch kind {
    case 0: return .assign(Array(some) + [number])
    case 1: return .append(number)
    case 2: return .insert(number, at: Int.random(in: 0...count, using: &generator))
    case 3: return .remove(at: index())
    case 4: return .replace(at: index(), with: number)
    case 5: return .swap(index(), index())
    case 6: return .reverse
    default: return .removeAll
    }
  }
}
