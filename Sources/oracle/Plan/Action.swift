import FaultyNetwork
import RemoteData
import RemoteDataTesting

/// What is done before everything is compared.
struct Batch: Sendable {
    var actions: [Action] = []
    /// Whether nothing breaks.
    var isCalm = true
    /// Whether it begins with another table, which the server does not have until its first row.
    var beginsTable = false
}

/// One thing that is done in a batch.
enum Action: Sendable {
    /// Somebody else writes, straight to the server.
    case write(OtherWrite)
    /// A collection writes.
    case own(collection: Int, OwnWrite)
    /// A collection is read.
    case read(collection: Int, Reading)
    /// Something breaks.
    case fault(Fault)
    /// Nothing is done for some milliseconds.
    case pause(Int)
}

/// A write of somebody who has no collection.
enum OtherWrite: Sendable {
    case create([ScenarioValue])
    case upsert(ScenarioValue)
    case update(RowID, ScenarioValue)
    case updateAll(String, ScenarioValue)
    case delete(RowID)
    case deleteAll(String)
}

/// A write of a collection; rows are named by their place among those that are here.
enum OwnWrite: Sendable {
    case add(ScenarioValue)
    case update(Int, ScenarioValue)
    case remove(Int)
    case removeAll(String)
}

/// A way of reading a collection; places are taken modulo the rows there are.
enum Reading: Sendable {
    /// An iteration that waits some microseconds at each row, and breaks out after some rows or none.
    case iterate(isBlocking: Bool, pace: Int, limit: Int?)
    case row(Int)
    case prefetch(Int, count: Int)
    case populate
    case refresh
}

/// A way of breaking things.
enum Fault: Sendable {
    case cut(abruptly: Bool)
    case cutInMessage(ProxyGate.Direction, bytes: Int)
    case stall(milliseconds: Int)
    case refuse(milliseconds: Int)
    /// Changes do not come for some milliseconds, while requests are answered.
    case refuseChanges(milliseconds: Int)
    /// A collection's handler takes some milliseconds for each change, until the end of the batch.
    case slowHandler(collection: Int, milliseconds: Int)
    /// The server is killed, maybe while it does a write, and is back after some milliseconds.
    case kill(during: OtherWrite?, milliseconds: Int)
    /// The server is killed, and when it is back, it knows no change any more but this one.
    case killAndForget(OtherWrite)
    /// The server is killed, and its revisions are of another history when it is back.
    case beginAnew(NewHistory)
}

/// What a server has when its history begins anew.
enum NewHistory: Sendable {
    /// Its rows, and revisions that go on.
    case sameRows
    /// A copy of its data from before some writes: rows and revisions go back.
    ///
    /// - Parameters:
    ///   - lost: The writes.
    ///   - milliseconds: How long they are there.
    ///   - overtaking: A write that is repeated until the revisions have passed the lost ones, before clients
    ///     are
    ///     back; nil for none.
    case copy(lost: [OtherWrite], milliseconds: Int, overtaking: OtherWrite?)
    /// Nothing, as if it kept its rows in memory, and some milliseconds later other rows.
    case nothing(milliseconds: Int, then: OtherWrite)
}
