import Foundation
import RemoteData
import Signals

extension Session {
    /// Shows the rows on the whole screen until the user quits.
    func browse() async throws(Failure) {
        guard Output.isTerminal else {
            throw .usage("browse needs a terminal; use list to print rows.")
        }
        // A signal ends the program by itself until then.
        let rows = try await rows(pageSize: 100, isLive: true)
        let endings = Signals.stream(of: Signals.endings + [SIGQUIT])
        let browser = Browser(rows, table, columns: arguments.columns, title: title)
        try await FullScreen.run { (terminal) async throws(Failure) in
            try await race(
                { try await browser.run(on: terminal) },
                { for await _ in endings { break } },
                { await arguments.timeIsOver() }
            )
        }
    }

    private var title: String {
        var title = " \(arguments.address.table) at \(arguments.address.server)"
        if !arguments.clause.isEmpty { title += " · where \(arguments.clause)" }
        if !arguments.sort.isEmpty { title += " · by \(arguments.sort)" }
        return title
    }
}
