import RemoteData
import Synchronization

/// A link of a chain, however long: it is the same only as itself, and a chain goes away link by link.
final class Link: ConsistentModel {
    let id: String?
    let value: Int
    private let rest: Mutex<Link?>

    init(_ id: String?, _ value: Int = 0, next: Link? = nil) {
        self.id = id
        self.value = value
        rest = Mutex(next)
    }

    /// Links `0`, `1` and so on.
    static func chain(_ count: Int) -> Link {
        var link = Link("\(count - 1)")
        for number in (0..<count - 1).reversed() { link = Link("\(number)", next: link) }
        return link
    }

    deinit {
        // Otherwise each would be let go of inside its predecessor.
        var link = take()
        while isKnownUniquelyReferenced(&link) { link = link?.take() }
    }

    var next: Link? { rest.withLock { $0 } }
    var modelID: ModelID? { id.map { ModelID($0, of: "link") } }

    /// The last link.
    var last: Link {
        var link = self
        while let next = link.next { link = next }
        return link
    }

    func forEach(_ visit: (any ConsistentModel) -> Void) { if let next { visit(next) } }

    func map(_ transform: (any ConsistentModel) -> (any ConsistentModel)?) -> Link? {
        Link(id, value, next: next.flatMap { transform($0) as? Link })
    }

    func isSame(as other: any ConsistentModel) -> Bool { (other as? Link) === self }

    private func take() -> Link? {
        rest.withLock { rest in
            defer { rest = nil }
            return rest
        }
    }
}
