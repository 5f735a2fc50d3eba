/// The forms of the properties that the last rank of overloads stores (``_$Rank6``), found once for a fetch or a save.
///
/// Finding a form asks the runtime for conformances, which takes longer than reading most values. Few models have such
/// a property, and fewer have several, so they are looked for from the front. Confined to its session.
struct LastForms {
  private var known: ContiguousArray<(type: ObjectIdentifier, form: (any MemberForm.Type)?)> = []

  /// How many types were asked about.
  var count: Int { known.count }

  /// The form of a type; nil for what nothing can store.
  mutating func form<Value>(of type: Value.Type) -> (any MemberForm.Type)? {
    let identifier = ObjectIdentifier(type)
    for index in known.indices where known[index].type == identifier { return known[index].form }
    let form = MemberForms.lastForm(of: type)
    known.append((identifier, form))
    return form
  }
}
