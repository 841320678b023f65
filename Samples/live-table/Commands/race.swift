/// Runs some things at the same time until the first of them is over, and cancels the others.
///
/// - Parameter bodies: What to run; each throws nothing but a ``Failure``.
/// - Throws: What the first one throws.
func race(_ bodies: (@Sendable () async throws -> Void)...) async throws(Failure) {
    let failure = await withTaskGroup(of: Failure?.self) { group in
        for body in bodies {
            group.addTask {
                do {
                    try await body()
                    return nil
                } catch {
                    return error as? Failure ?? Failure("\(error)")
                }
            }
        }
        defer { group.cancelAll() }
        return await group.next() ?? nil
    }
    if let failure { throw failure }
}
