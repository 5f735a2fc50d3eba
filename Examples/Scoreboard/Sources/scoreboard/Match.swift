import OpenSwiftData

/// A match that is being played.
@Model
@ModelValue
final class Match {
  @Attribute(.unique) var home: String
  var away: String
  var homeGoals = 0
  var awayGoals = 0
  var isOver = false

  init(home: String, away: String) {
    self.home = home
    self.away = away
  }
}

/// An event of a match: a goal of one of the two teams, or the end.
struct Event {
  enum Kind { case homeGoal, awayGoal, end }

  let home: String
  let kind: Kind
}

/// The reports of the referees of an evening.
enum Evening {
  static let matches = [("Ajax", "Bari"), ("Como", "Derby")]

  static let events = [
    Event(home: "Como", kind: .homeGoal), Event(home: "Ajax", kind: .awayGoal), Event(home: "Ajax", kind: .homeGoal),
    Event(home: "Como", kind: .awayGoal), Event(home: "Ajax", kind: .homeGoal), Event(home: "Como", kind: .end),
    Event(home: "Ajax", kind: .end),
  ]
}
