import RemoteData
import RemoteDataTesting
import Synchronization

/// A server's table whose store can begin anew: from then on requests reach another table.
final class RestartingTable: ForwardingTable {
    private let current: Mutex<MemoryTable>

    init(_ table: MemoryTable) { current = Mutex(table) }

    /// The table that requests reach.
    var table: MemoryTable { current.withLock { $0 } }

    /// Begins anew; feeds of the former table stay open and deliver nothing more.
    func begin(with table: MemoryTable) { current.withLock { $0 = table } }

    var wrapped: any Table { table }
}
