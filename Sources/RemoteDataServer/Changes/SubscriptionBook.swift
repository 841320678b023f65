/// The subscriptions of one WebSocket by the client's names for them.
///
/// Each gets a number of its own, so that what still comes for an ended one cannot be taken for its
/// namesake's.
struct SubscriptionBook {
    private let limit: Int
    private var numbers: [String: Int] = [:]
    private var lastNumber = 0

    init(limit: Int) { self.limit = limit }

    /// The numbers of all subscriptions.
    var all: [Int] { Array(numbers.values) }

    /// Begins a subscription.
    ///
    /// - Throws: ``ClientFrame/Problem`` when the name is taken or there are too many.
    mutating func begin(_ id: String) throws(ClientFrame.Problem) -> Int {
        guard numbers[id] == nil else {
            throw ClientFrame.Problem(
                id: id,
                code: 1000,
                message: "There is a subscription \"\(id)\" on this connection already."
            )
        }
        guard numbers.count < limit else {
            throw ClientFrame.Problem(
                id: id,
                code: 1429,
                message: "A connection has at most \(limit) subscriptions; open another one."
            )
        }
        lastNumber += 1
        numbers[id] = lastNumber
        return lastNumber
    }

    /// Ends a subscription: its number, nil when there is none of this name.
    mutating func end(_ id: String) -> Int? { numbers.removeValue(forKey: id) }

    /// Ends a subscription that failed or whose table is gone, unless its name is another's by now.
    mutating func end(_ id: String, number: Int) {
        if numbers[id] == number { numbers[id] = nil }
    }
}
