/// The whole program, from words to an exit code.
enum Program {
    /// Does what the words say.
    ///
    /// - Returns: 0 for done, 1 for a failed request, 2 for bad usage.
    static func run(_ words: [String]) async -> Int32 {
        do throws(Failure) {
            switch try Invocation.parse(words) {
            case .help: try Output.write(Help.text)
            case .run(let arguments): try await run(arguments)
            }
            return 0
        } catch {
            if let message = error.message { Output.complain("live-table: \(message)") }
            return error.exitCode
        }
    }

    private static func run(_ arguments: Arguments) async throws(Failure) {
        let session = try Session(arguments)
        switch arguments.command {
        case .list: try await session.list()
        case .count: try await session.count()
        case .populate: try await session.populate()
        case .watch: try await session.watch()
        case .add: try await session.add()
        case .update: try await session.update()
        case .remove: try await session.remove()
        case .removeAll: try await session.removeAll()
        case .browse: try await session.browse()
        }
    }
}
