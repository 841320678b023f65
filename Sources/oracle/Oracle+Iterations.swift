import RemoteData
import RemoteDataTesting

// What the README promises of an iteration, in its words.
extension Oracle {
    /// Counts an iteration by its end.
    func note(_ pass: Pass) {
        tally.passes += 1
        switch pass.end {
        case .complete: tally.completePasses += 1
        case .failed: tally.failedPasses += 1
        case .abandoned: break
        }
    }

    /// What is wrong with an iteration.
    ///
    /// Each row that matches during the whole iteration comes exactly once and none twice, whatever is
    /// written and broken meanwhile; otherwise the iteration ends with an error that says so.
    func problems(
        of pass: Pass,
        in subject: Subject,
        _ moments: [QueryMoment],
        isCalm: Bool
    ) -> [String] {
        let kind = pass.isBlocking ? "A blocking iteration" : "An iteration"
        var problems: [String] = []
        if !pass.repeated.isEmpty { problems.append("\(kind) took \(Self.list(pass.repeated)) twice.") }
        let ghosts = Set(pass.taken).subtracting(moments.rowsEver(since: moments.moment(of: pass.known)))
        if !ghosts.isEmpty {
            problems.append("\(kind) took \(Self.list(ghosts)), which matched at no time meanwhile.")
        }
        switch pass.end {
        case .complete:
            let end = pass.end(in: log)
            let (first, last) = (moments.moment(of: pass.begin), moments.moment(of: end))
            let matching = moments.rowsThroughout(from: first, to: last, withoutMoved: false)
            let missing = matching.subtracting(pass.taken)
            guard !missing.isEmpty else { break }
            problems.append(
                "\(kind) from revision \(pass.begin) to \(end) left out \(Self.list(missing)), which matched"
                    + " throughout."
            )
        case .failed(let error) where !isExpected(error, in: subject, isCalm: isCalm) || isLate(pass):
            let reason = error.map(\.description) ?? "an error of another type"
            problems.append("\(kind) ended \(pass.endTime - healTime) after the last fault with \(reason).")
        case .abandoned, .failed: break
        }
        return problems
    }

    /// Whether an iteration has waited long after nothing was broken any more: attempts come every few
    /// seconds.
    private func isLate(_ pass: Pass) -> Bool { pass.endTime - healTime > .seconds(10) }

    /// Whether an iteration may end with an error.
    private func isExpected(_ error: RemoteDataError?, in subject: Subject, isCalm: Bool) -> Bool {
        let options = subject.collection.options
        // Too many changes for the backlog are missed, as in an outage.
        guard let error, !isCalm || options.hasSmallBacklog else { return false }
        return (error.isTransient && !isCalm) || (error.code == .gone && options.cacheLimit != nil)
    }
}
