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
        reports: [Subject.Failure]
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
        case .failed(let error):
            let reason = error.map(\.description) ?? "an error of another type"
            problems += failureProblems(of: pass, error, in: subject, reports).map {
                "\(kind) that returned \(pass.taken.count) rows ended with \(reason), \($0)."
            }
        case .abandoned: break
        }
        return problems
    }

    /// What is wrong with the error that an iteration ended with.
    private func failureProblems(
        of pass: Pass,
        _ error: RemoteDataError?,
        in subject: Subject,
        _ reports: [Subject.Failure]
    ) -> [String] {
        guard let error, error.isTransient else { return ["which no fault leads to"] }
        var problems: [String] = []
        if !isBroken(at: pass.endTime) { problems.append("before anything was broken") }
        if pass.endTime - healTime > Self.patience {
            problems.append("\(pass.endTime - healTime) after the last fault")
        }
        guard pass.isBlocking else { return problems }
        let (waited, deadline) = (pass.endTime - pass.lastTime, subject.collection.options.deadline)
        // It is not tried again in the last moment, and what the iteration does by itself takes some time.
        if waited < deadline - .seconds(1) {
            problems.append("\(waited) after its last row, with a deadline of \(deadline)")
        }
        if !reports.contains(where: { $0.error.description == error.description && $0.time >= pass.lastTime })
        {
            problems.append("of which the error handler was not notified")
        }
        return problems
    }
}
