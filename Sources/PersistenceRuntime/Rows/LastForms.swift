/// A cache of the forms of properties that the last rank of overloads stores (``_$Rank6``), for one fetch or save.
///
/// Finding a form queries the runtime for conformances, which takes longer than reading most values. Few models have
/// such a property, so the search is linear. Confined to its session.
struct LastForms {
  private var known: ContiguousArray<(type: ObjectIdentifier, form: (any MemberForm.Type)?)> = []

  /// The number of cached types.
  var count: Int { known.count }

  /// The form of a type; nil if it cannot be stored.
  mutating func form<Value>(of type: Value.Type) -> (any MemberForm.Type)? {
    let identifier = ObjectIdentifier(type)
    for index in known.indices where known[index].type == identifier { return known[index].form }
    let form = MemberForms.lastForm(of: type)
    known.append((identifier, form))
    return form
  }
}
