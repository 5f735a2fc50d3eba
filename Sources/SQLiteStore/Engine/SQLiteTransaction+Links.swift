import CSQLite
import PersistenceCore
import SQLEngine

extension SQLiteTransaction {
  func setLinks(_ targets: [Int64], of property: PropertyLayout, in entity: EntityLayout, owner: Int64) throws {
    let connection = try usable()
    let link = try connection.link(of: property, in: entity)
    let old = try connection.targets(link, owner: owner)
    // What did not move is not written again: most changes are at the end.
    let kept = zip(old, targets).prefix { $0 == $1 }.count
    if kept < old.count { try connection.removeLinks(link, owner: owner, from: kept) }
    if kept < targets.count { try connection.addLinks(link, owner: owner, targets[kept...]) }
  }
}
