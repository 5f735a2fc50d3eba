// Predicates that are composed of others at run time.
#if STORED
  import SwiftData
#else
  import Foundation
#endif

func allOf(_ words: [String], _ day: Date) -> Predicate<Memo> {
  .all([
    #Predicate { $0.pages > 3 && $0.made < day }, .any(words.map { word in #Predicate { $0.title.contains(word) } }),
    #Predicate<Memo> { $0.isPinned }.negated,
  ])
}

func growing(_ words: [String]) -> Predicate<Memo> {
  var conditions = [#Predicate<Memo> { $0.tags.contains { $0.label == "sea" } && $0.rating != nil }]
  for word in words {
    conditions.append(#Predicate { $0.notes.localizedStandardContains(word) || $0.subtitle?.contains(word) ?? false })
  }
  return Predicate.all(conditions).negated
}
