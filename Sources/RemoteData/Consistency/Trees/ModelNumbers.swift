/// Numbers for ids, so that an id is held once however many trees have it; and where the models with these ids are.
///
/// About 42 bytes an id beside its text. Numbers of ids that nobody holds are given again.
struct ModelNumbers {
    /// A position in a tree.
    struct Holder: Equatable {
        let tree: Int32
        /// The first position in the tree with the id.
        let position: Int32
    }

    private var texts = ChunkedArray<String>()
    private var kinds = ChunkedArray<UInt16>()
    /// Where the model is: 0 for nowhere, `many` for several trees, otherwise the tree's number plus one and the position.
    private var homes = ChunkedArray<UInt64>()
    private var kindNames: [String] = []
    /// By their bytes.
    private var kindNumbers: [RowID: UInt16] = [:]
    private var shared: [Int32: [Int32: Int32]] = [:]
    private var byHash = SlotsByHash()
    private var free: [Int32] = []
    /// When something was said of the models with these ids last.
    var said = SaidTimes()
    /// Numbers that may be held nowhere.
    private var doubtful: [Int32] = []

    private static var many: UInt64 { .max }

    /// How many ids have numbers.
    var count: Int { byHash.count }

    // MARK: Ids

    /// The number of an id that has one.
    func known(_ id: ModelID) -> Int32? { known(id, hash: Self.hash(of: id)) }

    private func known(_ id: ModelID, hash: UInt64) -> Int32? {
        byHash.first(of: hash) { location in
            let number = Self.number(at: location)
            return texts[number].hasSameBytes(as: id.text)
                && kindNames[Int(kinds[number])].hasSameBytes(as: id.kind)
        }.map { Int32(Self.number(at: $0)) }
    }

    /// The number of an id, which is given one if it has none; until ``sweep()`` at least it keeps it.
    mutating func number(of id: ModelID) -> Int32 {
        let hash = Self.hash(of: id)
        if let known = known(id, hash: hash) { return known }
        let number = free.popLast() ?? Int32(texts.count)
        let kind = kindNumber(of: id.kind)
        if number == texts.count {
            texts.append(id.text)
            kinds.append(kind)
            homes.append(0)
        } else {
            (texts[Int(number)], kinds[Int(number)]) = (id.text, kind)
        }
        byHash.insert(hash, Self.location(of: number))
        doubtful.append(number)
        return number
    }

    /// The id with a number.
    func id(_ number: Int32) -> ModelID {
        ModelID(texts[Int(number)], of: kindNames[Int(kinds[Int(number)])])
    }

    /// Forgets the ids that are held nowhere.
    mutating func sweep() {
        while let number = doubtful.popLast() {
            guard homes[Int(number)] == 0 else { continue }
            let location = Self.location(of: number)
            let hash = Self.hash(of: id(number))
            // It may be doubtful twice.
            guard byHash.first(of: hash, where: { $0 == location }) != nil else { continue }
            byHash.remove(hash, location)
            texts[Int(number)] = ""
            said.forget(number)
            free.append(number)
        }
    }

    private mutating func kindNumber(of kind: String) -> UInt16 {
        if let number = kindNumbers[.text(kind)] { return number }
        precondition(kindNames.count < UInt16.max, "There are more than 65,534 kinds of models.")
        let number = UInt16(kindNames.count)
        kindNames.append(kind)
        kindNumbers[.text(kind)] = number
        return number
    }

    private static func hash(of id: ModelID) -> UInt64 { UInt64(truncatingIfNeeded: id.hashValue) }
    private static func number(at location: SlotsByHash.Location) -> Int {
        location.node << 6 | location.slot
    }
    private static func location(of number: Int32) -> SlotsByHash.Location {
        SlotsByHash.Location(node: Int(number >> 6), slot: Int(number & 63))
    }

    // MARK: Holders

    /// Whether a tree holds it.
    func isHeld(_ number: Int32) -> Bool { homes[Int(number)] != 0 }

    /// Calls a body for each id of a kind that some tree holds, with one of those.
    func forEachHeld(of kind: String, _ body: (ModelID, Holder) -> Void) {
        guard let kind = kindNumbers[.text(kind)] else { return }
        for number in 0..<texts.count where homes[number] != 0 && kinds[number] == kind {
            let number = Int32(number)
            if let holder = someHolders(of: number, atMost: 1).first { body(id(number), holder) }
        }
    }

    /// Calls a body for each tree that holds it, in any order.
    func forEachHolder(of number: Int32, _ body: (Holder) -> Void) {
        switch homes[Int(number)] {
        case 0: break
        case Self.many:
            for (tree, position) in shared[number] ?? [:] { body(Holder(tree: tree, position: position)) }
        case let home: body(Self.holder(home))
        }
    }

    /// Some of the trees that hold it, at most a few.
    func someHolders(of number: Int32, atMost limit: Int) -> [Holder] {
        switch homes[Int(number)] {
        case 0: []
        case Self.many: (shared[number] ?? [:]).prefix(limit).map { Holder(tree: $0.key, position: $0.value) }
        case let home: [Self.holder(home)]
        }
    }

    /// Where a tree has an id first; nil where it has not.
    func position(of number: Int32, in tree: Int32) -> Int32? {
        switch homes[Int(number)] {
        case 0: nil
        case Self.many: shared[number]?[tree]
        case let home: Self.holder(home).tree == tree ? Self.holder(home).position : nil
        }
    }

    /// A tree has an id, first at a position.
    ///
    /// - Returns: Where the tree was known to have it first; -1 for nowhere.
    mutating func hold(_ number: Int32, _ holder: Holder) -> Int32 {
        switch homes[Int(number)] {
        case 0: homes[Int(number)] = Self.home(holder)
        case Self.many: return shared[number]?.updateValue(holder.position, forKey: holder.tree) ?? -1
        case let home:
            let other = Self.holder(home)
            guard other.tree != holder.tree else {
                homes[Int(number)] = Self.home(holder)
                return other.position
            }
            shared[number] = [other.tree: other.position, holder.tree: holder.position]
            homes[Int(number)] = Self.many
        }
        return -1
    }

    /// A tree has an id no longer.
    mutating func release(_ number: Int32, tree: Int32) {
        switch homes[Int(number)] {
        case 0: return
        case Self.many:
            shared[number]?[tree] = nil
            guard let rest = shared[number], rest.count < 2 else { return }
            shared[number] = nil
            homes[Int(number)] = rest.first.map { Self.home(Holder(tree: $0.key, position: $0.value)) } ?? 0
        case let home where Self.holder(home).tree == tree: homes[Int(number)] = 0
        default: return
        }
        if homes[Int(number)] == 0 { doubtful.append(number) }
    }

    private static func home(_ holder: Holder) -> UInt64 {
        UInt64(holder.tree + 1) << 32 | UInt64(UInt32(holder.position))
    }

    private static func holder(_ home: UInt64) -> Holder {
        Holder(tree: Int32(home >> 32) - 1, position: Int32(truncatingIfNeeded: home))
    }
}
