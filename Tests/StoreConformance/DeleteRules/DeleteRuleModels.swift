import SwiftData

let deleteRuleModels: [any PersistentModel.Type] = [
  Company.self, Department.self, Employee.self, Badge.self, Project.self, Ring.self, Contract.self, Clause.self,
  Vault.self, Coin.self, Lock.self, Ledger.self, Entry.self, Auditor.self, Anchor.self, Rope.self,
]

// MARK: Cascade

/// The top of a hierarchy of models that a cascade deletes together: departments, employees and badges. The projects of
/// the employees are kept.
@Model
final class Company: Named {
  var name: String
  @Relationship(deleteRule: .cascade, inverse: \Department.company) var departments: [Department] = []

  init(_ name: String) {
    self.name = name
  }
}

@Model
final class Department: Named {
  var name: String
  var company: Company?
  @Relationship(deleteRule: .cascade, inverse: \Employee.department) var employees: [Employee] = []

  init(_ name: String) {
    self.name = name
  }
}

@Model
final class Employee: Named {
  var name: String
  var department: Department?
  @Relationship(deleteRule: .cascade, inverse: \Badge.employee) var badge: Badge?
  @Relationship(inverse: \Project.members) var projects: [Project] = []

  init(_ name: String) {
    self.name = name
  }
}

@Model
final class Badge: Named {
  var name: String
  var employee: Employee?

  init(_ name: String) {
    self.name = name
  }
}

@Model
final class Project: Named {
  var name: String
  var members: [Employee] = []

  init(_ name: String) {
    self.name = name
  }
}

/// A model whose objects the tests join to a cycle or a chain, which a cascade deletes completely.
@Model
final class Ring: Named {
  var name: String
  @Relationship(deleteRule: .cascade, inverse: \Ring.previous) var next: Ring?
  @Relationship(deleteRule: .cascade) var previous: Ring?

  init(_ name: String) {
    self.name = name
  }
}

/// A model whose clauses have a non-optional reference to it.
@Model
final class Contract: Named {
  var name: String
  @Relationship(deleteRule: .cascade, inverse: \Clause.contract) var clauses: [Clause] = []

  init(_ name: String) {
    self.name = name
  }
}

@Model
final class Clause: Named {
  var name: String
  var contract: Contract

  init(_ name: String, contract: Contract) {
    self.name = name
    self.contract = contract
  }
}

// MARK: Deny

@Model
final class Vault: Named {
  var name: String
  @Relationship(deleteRule: .deny, inverse: \Coin.vault) var coins: [Coin] = []
  @Relationship(deleteRule: .deny, inverse: \Lock.vault) var lock: Lock?

  init(_ name: String) {
    self.name = name
  }
}

@Model
final class Coin: Named {
  var name: String
  var vault: Vault?

  init(_ name: String) {
    self.name = name
  }
}

@Model
final class Lock: Named {
  var name: String
  var vault: Vault?

  init(_ name: String) {
    self.name = name
  }
}

// MARK: No action

@Model
final class Ledger: Named {
  var name: String
  @Relationship(deleteRule: .noAction, inverse: \Entry.ledger) var entries: [Entry] = []
  @Relationship(deleteRule: .noAction, inverse: \Auditor.ledgers) var auditors: [Auditor] = []

  init(_ name: String) {
    self.name = name
  }
}

@Model
final class Entry: Named {
  var name: String
  var ledger: Ledger?

  init(_ name: String) {
    self.name = name
  }
}

@Model
final class Auditor: Named {
  var name: String
  var ledgers: [Ledger] = []

  init(_ name: String) {
    self.name = name
  }
}

/// A model with the delete rule noAction for a list whose inverse, `Rope.anchor`, is not optional.
@Model
final class Anchor: Named {
  var name: String
  @Relationship(deleteRule: .noAction, inverse: \Rope.anchor) var ropes: [Rope] = []

  init(_ name: String) {
    self.name = name
  }
}

@Model
final class Rope: Named {
  var name: String
  var anchor: Anchor

  init(_ name: String, anchor: Anchor) {
    self.name = name
    self.anchor = anchor
  }
}
