/// How many connections there are, and who of them has asked for what: what more are taken is decided by
/// that.
///
/// Connections over which nothing allowed was asked for yet are bounded by themselves, and so are those of
/// guests: neither keeps those out who send a token.
final class Admission {
    /// What is known of who is at the other end, from the first request on that was allowed.
    enum Standing: Comparable, CaseIterable {
        /// Nothing was asked for yet that is allowed.
        case unknown
        /// A caller without a token, where there are users.
        case guest
        /// A caller with a token, or any where the server has none.
        case member
    }

    /// What a connection counts for, as long as it is kept.
    final class Visitor {
        fileprivate let admission: Admission
        /// Where the connection comes from; nil for this machine.
        let address: PeerAddress?
        fileprivate(set) var standing = Standing.unknown

        fileprivate init(_ admission: Admission, _ address: PeerAddress?) {
            (self.admission, self.address) = (admission, address)
            admission.count(self, 1)
        }

        deinit { admission.count(self, -1) }
    }

    /// Why a connection cannot be admitted.
    enum Obstacle { case connections, guests, address }

    private let limits: TableServer.Limits
    private var counts: [Standing: Int] = [:]
    private var guests: [PeerAddress: Int] = [:]

    init(_ limits: TableServer.Limits) { self.limits = limits }

    /// Whether another connection is more than are kept before they have asked for something.
    var isCrowded: Bool { counts[.unknown, default: 0] >= limits.connectionsBeforeSignIn }

    /// Which of the connections that have not asked for anything makes room: the oldest one of the address
    /// that has most of them; nil where there is none.
    ///
    /// - Complexity: O(connections).
    static func leastWanted(_ silent: [(number: UInt64, address: PeerAddress?)]) -> UInt64? {
        let places = Dictionary(grouping: silent, by: \.address).mapValues { $0.map(\.number) }
        let busiest = places.values.max { first, second in
            // Of two, the one that came first.
            first.count < second.count || first.count == second.count && first.min() ?? 0 > second.min() ?? 0
        }
        return busiest?.min()
    }

    /// A connection was accepted.
    func arrive(from address: PeerAddress?) -> Visitor { Visitor(self, address) }

    /// What is in the way of a visitor who asks for something that is allowed; nil for nothing.
    func obstacle(for visitor: Visitor, as standing: Standing) -> Obstacle? {
        guard standing > visitor.standing else { return nil }
        let (guests, members) = (counts[.guest, default: 0], counts[.member, default: 0])
        let others = guests + members - (visitor.standing == .unknown ? 0 : 1)
        if standing == .guest, let address = visitor.address,
            self.guests[address, default: 0] >= limits.guestsPerAddress
        {
            return .address
        }
        if others >= limits.connections { return .connections }
        return standing == .guest && guests >= limits.guestConnections ? .guests : nil
    }

    /// A visitor has asked for something that is allowed.
    func admit(_ visitor: Visitor, as standing: Standing) {
        guard standing > visitor.standing else { return }
        count(visitor, -1)
        visitor.standing = standing
        count(visitor, 1)
    }

    private func count(_ visitor: Visitor, _ change: Int) {
        counts[visitor.standing, default: 0] += change
        guard visitor.standing == .guest, let address = visitor.address else { return }
        let count = guests[address, default: 0] + change
        guests[address] = count == 0 ? nil : count
    }
}
