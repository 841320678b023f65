extension Session {
    /// Prints how many rows there are, and nothing else.
    func count() async throws(Failure) {
        let rows = try await rows()
        try Output.write("\(rows.count)\n")
    }
}
