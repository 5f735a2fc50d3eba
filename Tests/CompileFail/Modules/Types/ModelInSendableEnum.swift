// A case of a Sendable enum cannot have a model as its associated value.
// expect: associated value 'chosen' of 'Sendable'-conforming enum 'Choice' has non-Sendable type 'Trip'
import SwiftData

private enum Choice: Sendable {
  case none
  case chosen(Trip)
}
