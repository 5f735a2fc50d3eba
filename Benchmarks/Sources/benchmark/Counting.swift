#if MEASURES_LIBRARY
  import BenchmarkCore
  import BenchmarkGauge
  import Foundation
  import OurContender

  /// Counts the instructions of workloads and situations, for the library and for hand-written code.
  struct Counting {
    let workloads: [Workload]
    let situations: [Situation]
    let rows: Int

    /// The profiles of one contender, by the name of the workload or of the situation's phase.
    private typealias Profiles = [(name: String, profile: Profile)]

    func run(under conditions: [Condition]) throws -> GaugeTable {
      let directory = FileManager.default.temporaryDirectory.appendingPathComponent("gauge-\(UUID().uuidString)")
      try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
      defer { try? FileManager.default.removeItem(at: directory) }
      let executable = try makeReadable(in: directory)
      let raw =
        try count(Contenders.base, executable, in: directory) + count(SituationContest.base, executable, in: directory)
      let ours =
        try count(OurContender(), executable, in: directory)
        + count(SituationContest.library, executable, in: directory)
      let totals = Dictionary(raw.map { ($0.name, $0.profile.total) }) { first, _ in first }
      let demangling = try Demangling(of: Set(ours.flatMap { $0.profile.counts.keys }), in: directory)
      let counts = ours.map { name, profile in
        WorkloadCount(
          workload: name, ours: profile.total, raw: totals[name] ?? 0,
          functions: demangling.apply(to: profile).counts)
      }
      return GaugeTable(conditions: conditions, workloads: counts)
    }

    /// Copies this program without its debug information, which Valgrind cannot read. The names of functions are kept.
    private func makeReadable(in directory: URL) throws -> URL {
      let copy = directory.appendingPathComponent("benchmark")
      let original = Bundle.main.executableURL?.path ?? ""
      _ = try ChildProcess.run(["objcopy", "--strip-debug", original, copy.path])
      return copy
    }

    private func count(_ contender: any Contender, _ executable: URL, in directory: URL) throws -> Profiles {
      guard !workloads.isEmpty else { return [] }
      let progress = Progress()
      defer { progress.clear() }
      progress.show("counting \(contender.title)")
      let round = CountedRound(
        contender: contender, workloads: workloads, rows: rows,
        directory: directory.appendingPathComponent(contender.name))
      let profiles = try round.run(executable)
      return workloads.compactMap { workload in profiles[workload].map { (workload.rawValue, $0) } }
    }

    private func count(_ contender: any SituationContender, _ executable: URL, in directory: URL) throws -> Profiles {
      let (progress, plan) = (Progress(), SituationPlan(rows: rows))
      defer { progress.clear() }
      return try situations.flatMap { situation in
        progress.show("counting \(situation.rawValue), \(contender.title)")
        let counted = CountedSituation(
          situation: situation, contender: contender, plan: plan,
          directory: directory.appendingPathComponent("situations of \(contender.name)"))
        let names = situation.phases(in: plan).map { $0.name(in: situation) }
        return Array(zip(names, try counted.run(executable))).map { (name: $0, profile: $1) }
      }
    }
  }
#endif
