import RemoteData
import Synchronization

extension Browser {
    /// Pages that a search asks for at the same time.
    private static let pages = 8

    /// Begins a search, and gives up the one before.
    func start(_ search: Search) {
        let cursor = state.withLock { $0.model.list.cursor }
        let task = Task { await find(search, from: cursor) }
        let before = state.withLock { state in
            defer { state.searching = task }
            return state.searching
        }
        before?.cancel()
    }

    /// Looks through all rows, of which those that are not loaded are loaded meanwhile.
    private func find(_ search: Search, from cursor: Int) async {
        let count = rows.count
        let length = rows.options.pageSize * Self.pages
        var looked = 0
        for range in search.ranges(from: cursor, count: count, length: length) {
            note(.running(looked, of: count), of: search)
            let error = await load(range)
            guard !Task.isCancelled else { return }
            if let error { return note(.failed("\(error.code)"), of: search) }
            if let match = match(search, in: range) { return note(.found(match), of: search) }
            looked += range.count
        }
        note(.missing(of: count), of: search)
    }

    private func note(_ progress: Search.Progress, of search: Search) {
        update { $0.model.note(progress, of: search.number) }
    }

    /// Loads what is not loaded of a range, some pages at the same time.
    private func load(_ range: Range<Int>) async -> RemoteDataError? {
        let length = max(1, rows.options.pageSize)
        return await withTaskGroup(of: RemoteDataError?.self) { group in
            for start in stride(from: range.lowerBound, to: range.upperBound, by: length) {
                group.addTask {
                    let part = start..<min(range.upperBound, start + length)
                    do throws(RemoteDataError) { try await self.rows.prefetch(part) } catch { return error }
                    return nil
                }
            }
            for await error in group { if let error { return error } }
            return nil
        }
    }

    private func match(_ search: Search, in range: Range<Int>) -> Search.Match? {
        let (chosen, seen) = (state.withLock { $0.model.chosenColumns }, table.columns.names)
        for offset in 0..<range.count {
            let position = search.isForward ? range.lowerBound + offset : range.upperBound - 1 - offset
            guard let row = rows.loadedRow(at: position) else { continue }
            let columns = chosen ?? row.names(after: seen)
            if let column = row.column(with: search.text, among: columns) {
                return Search.Match(position: position, column: column)
            }
        }
        return nil
    }
}
