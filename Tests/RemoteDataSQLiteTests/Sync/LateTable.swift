import RemoteData
import RemoteDataTesting

/// A server's table that begins with its first row: until then reads of it are refused, and so are
/// subscriptions, unless they wait.
struct LateTable: ForwardingTable {
    static let missing = RemoteDataError(.notFound, "There is no such table.", status: 404)

    let base: MemoryTable
    var refusesSubscriptions = false
    var wrapped: any Table { base }

    func willAsk(_ call: FaultyTable.Call, _ mutation: Mutation?) throws(RemoteDataError) {
        switch (call, mutation) {
        case (.commit, .create), (.commit, .upsert): return
        case (.subscribe, _) where !refusesSubscriptions: return
        default: guard base.revision > .zero else { throw Self.missing }
        }
    }
}
