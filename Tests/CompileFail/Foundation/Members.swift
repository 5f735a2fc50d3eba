// Members that the library adds to Foundation's types. They are not visible if no file of the module imports SwiftData.
// expect: type 'String.StandardComparator' has no member 'localizedStandard'
// expect: reference to member 'localizedStandard' cannot be resolved without a contextual type
// expect: type 'URL' has no member 'applicationSupportDirectory'
// expect: (aka 'NSNotification.Name') has no member 'NSUndoManagerDidUndoChange'
// expect: type 'PredicateExpressions' has no member 'build_localizedStandardContains'
// expect: type 'PredicateExpressions' has no member 'build_caseInsensitiveCompare'
import Foundation

struct Row {
  var name = ""
}

let byName = SortDescriptor(\Row.name, comparator: .localizedStandard)

func sorted(_ names: [String]) -> [String] { names.sorted(using: .localizedStandard) }

let folder = URL.applicationSupportDirectory

let undone = Notification.Name.NSUndoManagerDidUndoChange

func search(_ word: String) -> Predicate<Row> { #Predicate { $0.name.localizedStandardContains(word) } }

func same(_ word: String) -> Predicate<Row> {
  let same = ComparisonResult.orderedSame
  return #Predicate { $0.name.caseInsensitiveCompare(word) == same }
}
