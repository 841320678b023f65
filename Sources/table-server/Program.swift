import Foundation
import RemoteData
import RemoteDataSQLite
import RemoteDataServer

/// The program from its arguments to its exit code.
struct Program {
    private let words: [String]
    private static let version = "0.1.0"

    init(_ words: [String]) { self.words = words }

    /// Runs until a signal comes: 0; 1 when something fails, 2 for bad usage, each with one line that says
    /// what to do.
    func run() async -> Int32 {
        let arguments: Arguments
        do throws(Arguments.Misuse) {
            arguments = try Arguments(words)
        } catch {
            Output.tell("table-server: \(error.message); see --help")
            return 2
        }
        switch arguments.action {
        case .help: Output.print(Arguments.usage)
        case .version: Output.print("table-server \(Self.version)")
        case .serve:
            do {
                try await serve(arguments)
            } catch is CancellationError {
                // A signal came while files were imported.
                return 0
            } catch {
                Output.tell("table-server: \(Self.message(of: error))")
                return 1
            }
        }
        return 0
    }

    private func serve(_ arguments: Arguments) async throws {
        let signals = EndingSignals()
        OpenFiles.raiseLimit()
        // The terminal it was started from may be closed.
        signal(SIGHUP, SIG_IGN)
        let token = try arguments.tokenFile.map { try TokenFile.token(at: $0) }
        let users = try arguments.usersFile.map { try UsersFile.users(at: $0) }
        let storage = try await Storage.open(
            arguments.storage,
            beginsNewEpoch: arguments.beginsNewEpoch
        )
        do {
            try await importFiles(arguments.imports, into: storage.store, until: signals)
            try await listen(arguments, token, users, storage.store, until: signals)
            await storage.close()
        } catch {
            await storage.close()
            throw error
        }
    }

    private func importFiles(
        _ imports: [Arguments.Import],
        into store: any TableStore,
        until signals: EndingSignals
    ) async throws {
        let task = Task {
            for item in imports {
                let plan = TableImport(URL(filePath: item.file), into: item.table, idColumn: item.idColumn)
                do {
                    Self.tell(try await plan.run(on: store), of: plan)
                } catch {
                    guard Task.isCancelled else { throw error }
                    Output.tell(
                        "table-server: stopped by a signal before all of \(plan.file.lastPathComponent) was in"
                            + " \(plan.table); start again with the same --import to import it"
                    )
                    throw CancellationError()
                }
            }
            for unfinished in try await UnfinishedImport.all(in: store) {
                Output.tell(
                    "table-server: warning: \(unfinished.table) may hold only a part of \(unfinished.file), whose import was interrupted; start again with the same --import to repair it"
                )
            }
        }
        signals.onSignal { task.cancel() }
        try await task.value
    }

    private static func tell(_ report: TableImport.Report, of plan: TableImport) {
        let name = plan.file.lastPathComponent
        if report.wasSkipped {
            Output.tell(
                "table-server: \(name) is not imported again, \(plan.table) has rows; --id COLUMN replaces them"
            )
        }
        if report.wasUnfinished {
            Output.tell(
                "table-server: an import into \(plan.table) had been interrupted; \(name) is imported again, \(report.rows) rows"
            )
        }
        if report.repeatedIDs > 0 {
            Output.tell(
                "table-server: \(report.repeatedIDs) rows of \(name) have the id of an earlier one; the last one stays"
            )
        }
    }

    private func listen(
        _ arguments: Arguments,
        _ token: String?,
        _ users: TableServer.Users?,
        _ store: any TableStore,
        until signals: EndingSignals
    ) async throws {
        var configuration = TableServer.Configuration()
        configuration.host = arguments.host
        configuration.port = arguments.port
        configuration.token = token
        configuration.users = users
        configuration.letsGuestsWrite = arguments.letsGuestsWrite
        configuration.fixedTables = arguments.hasFixedTables
        if let time = arguments.queryTime { configuration.deadlines.query = time }
        if !arguments.isQuiet { configuration.log = { Output.log($0) } }
        let server = TableServer(store: store, configuration: configuration)
        let base: URL
        do throws(TableServerError) {
            base = try await server.start()
        } catch {
            switch error.code {
            case .guestsMayWrite:
                throw TableServerError(error.code, "\(error.message) --guests-may-write does.")
            case .configuration where token == nil && users == nil:
                throw TableServerError(error.code, "\(error.message) --token-file FILE sets one.")
            default: throw error
            }
        }
        Output.print(base.absoluteString)
        await signals.wait()
        await server.stop()
    }

    private static func message(of error: any Error) -> String {
        switch error {
        case let error as TableServerError: error.message
        case let error as RemoteDataError: error.message
        default: "\(error)"
        }
    }
}
