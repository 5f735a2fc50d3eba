// A model cannot hide in a case.
// expect: associated value 'chosen' of 'Sendable'-conforming enum 'Choice' has non-Sendable type 'Trip'
import SwiftData

private enum Choice: Sendable {
  case none
  case chosen(Trip)
}
