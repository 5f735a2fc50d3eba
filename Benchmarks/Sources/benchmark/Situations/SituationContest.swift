#if MEASURES_LIBRARY
  import BenchmarkCore
  import OurContender
  import RawContender

  /// Runs situations by hand-written code and by the library in turn, in this process.
  struct SituationContest {
    /// The measurements of one situation.
    struct Result {
      let situation: Situation
      /// The reports of each contender, one for each round, by the contender's name.
      var reports: [String: [SituationReport]] = [:]

      /// The times of a phase of one contender.
      func statistic(of contender: any Participant, phase: Int, _ clock: Clock) -> Statistic? {
        Statistic((reports[contender.name] ?? []).map { clock.time(of: $0.samples[phase]) })
      }

      /// The contenders whose checksum differs from that of hand-written code or from that of another round.
      var disagreements: [String] {
        guard let expected = reports[base.name]?.first?.checksum else { return [] }
        return reports.sorted { $0.key < $1.key }.compactMap { name, reports in
          guard let wrong = reports.first(where: { $0.checksum != expected })?.checksum else { return nil }
          return "\(name) came to \(wrong) in \(situation.rawValue), \(base.title) to \(expected)"
        }
      }
    }

    let situations: [Situation]
    let plan: SituationPlan
    let rounds: Int

    /// The contender to whose times the ratios refer.
    static let base = RawSituations()
    static let library = OurSituations()

    func run() throws -> [Result] {
      let progress = Progress()
      defer { progress.clear() }
      var results = situations.map { Result(situation: $0) }
      for round in 1...rounds {
        for (index, situation) in situations.enumerated() {
          for contender in Self.contenders(in: round) {
            progress.show("round \(round) of \(rounds): \(situation.rawValue), \(contender.title)")
            results[index].reports[contender.name, default: []].append(try report(situation, contender))
          }
        }
      }
      return results
    }

    private func report(_ situation: Situation, _ contender: any SituationContender) throws -> SituationReport {
      situation.needsOwnProcesses
        ? try .ofTwoProcesses(situation, contender, plan) : try SituationReport(of: situation, contender, plan)
    }

    /// The contenders in the order of a round. They take turns in being the first, so that neither of them always has
    /// the memory and the disk as the other one left them.
    private static func contenders(in round: Int) -> [any SituationContender] {
      round.isMultiple(of: 2) ? [library, base] : [base, library]
    }
  }
#endif
