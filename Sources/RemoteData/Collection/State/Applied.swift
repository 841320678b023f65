/// What a change did to the collection, in positions of the collection.
struct Applied: Sendable {
    var type: EventType
    var rows: [Row] = []
    var ids: [RowID] = []
    var inserted: [Int] = []
    var removed: [Int] = []
    var updated: [Int] = []
    var moved: [CollectionMove] = []
    var isOwn = false
    var revision: Revision?
}
