import Synchronization

/// The rows that a read has left out because they do not decode.
struct OmittedRows: Sendable {
    private var count = 0
    private var first: RemoteDataError?

    /// Notes a row.
    ///
    /// - Parameter error: Why it does not decode.
    mutating func note(_ error: RemoteDataError) {
        count += 1
        if first == nil { first = error }
    }

    /// Notes those among some rows of a chunk.
    mutating func note(_ decoded: DecodedRows, in range: Range<Int>) {
        for offset in range { if let failure = decoded.failures[offset] { note(failure) } }
    }

    /// How many rows were left out, and the reason for the first; nil where none was.
    var error: RemoteDataError? {
        guard let first else { return nil }
        let rows = count == 1 ? "A row was left out" : "\(count) rows were left out, the first of them"
        return RemoteDataError(first.code, "\(rows) because of this: \(first.message)", cause: first.cause)
    }
}

// What becomes of rows that are left out: the read that ends knows, and a program without an error handler
// gets to know of the first.
extension RemoteDataCollection {
    /// Begins a read that cannot throw.
    func beginSoftRead() { state.withLock { $0.iterationError = nil } }

    /// Ends a read that cannot throw.
    ///
    /// - Parameters:
    ///   - omitted: The rows that it has left out.
    ///   - isWhole: Whether it was to read all rows.
    func endSoftRead(omitting omitted: OmittedRows, isWhole: Bool = false) {
        guard let error = isWhole ? omissions(omitted) : omitted.error else { return }
        state.withLock { state in if state.iterationError == nil { state.iterationError = error } }
    }

    /// The error of a read of all rows that has come to its end but left some out; nil where it has not.
    func omissions(_ omitted: OmittedRows = OmittedRows()) -> RemoteDataError? {
        if let error = omitted.error { return error }
        guard let unreadable = state.withLock({ $0.core.unreadableError }) else { return nil }
        return RemoteDataError(
            unreadable.code,
            "Rows that cannot be read are left out until refresh(), the first of them because of this:"
                + " \(unreadable.message)",
            cause: unreadable.cause
        )
    }

    /// Names the first row that is left out on standard error, if nothing else does.
    func logOmission(_ error: RemoteDataError?) {
        guard let error, options.logsOmittedRows else { return }
        let isFirst = state.withLock { state in
            defer { state.hasLoggedOmission = true }
            return state.handlers.error == nil && !state.hasLoggedOmission
        }
        guard isFirst else { return }
        options.surroundings.log(
            "RemoteDataCollection: a row is left out: \(error.message) Others are not named here: set"
                + " errorHandler, or logsOmittedRows of the options to false."
        )
    }
}
