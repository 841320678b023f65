// The treap beneath the row index: nodes in order of position, heaps by random priority, each with a parent link so
// that a node's own position can be found by climbing.
extension RowIndex {
    /// The first node; -1 when there is none.
    var first: Int { root < 0 ? -1 : leftmost(root) }

    /// The node a position lies in and the offset within it.
    func locate(_ position: Int) -> (node: Int, offset: Int)? {
        guard position >= 0, position < count else { return nil }
        var node = root
        var rest = position
        while true {
            let before = sum(nodes[node].left)
            if rest < before {
                node = nodes[node].left
            } else if rest < before + nodes[node].weight {
                return (node, rest - before)
            } else {
                rest -= before + nodes[node].weight
                node = nodes[node].right
            }
        }
    }

    /// The position of a node's first row.
    func start(of node: Int) -> Int {
        var position = sum(nodes[node].left)
        var child = node
        while nodes[child].parent >= 0 {
            let parent = nodes[child].parent
            if nodes[parent].right == child { position += sum(nodes[parent].left) + nodes[parent].weight }
            child = parent
        }
        return position
    }

    /// How many positions in front of one are those of gaps.
    ///
    /// - Complexity: O(log n).
    func unloadedCount(before position: Int) -> Int {
        var node = root
        var (rest, unloaded) = (Swift.max(0, position), 0)
        while node >= 0 {
            let before = sum(nodes[node].left)
            if rest < before {
                node = nodes[node].left
                continue
            }
            unloaded += self.unloaded(nodes[node].left)
            rest -= before
            if rest < nodes[node].weight { return unloaded + (nodes[node].isGap ? rest : 0) }
            unloaded += nodes[node].isGap ? nodes[node].weight : 0
            rest -= nodes[node].weight
            node = nodes[node].right
        }
        return unloaded
    }

    /// The position that is the one of gaps with so many others of gaps in front of it; nil when there are not as many.
    ///
    /// - Complexity: O(log n).
    func positionOfUnloaded(_ rank: Int) -> Int? {
        guard root >= 0, rank >= 0, rank < nodes[root].unloaded else { return nil }
        return position(of: rank) { nodes[$0].unloaded }
    }

    /// The position of the loaded row with so many others in front of it; nil when there are not as many.
    ///
    /// - Complexity: O(log n).
    func positionOfLoaded(_ rank: Int) -> Int? {
        guard root >= 0, rank >= 0, rank < nodes[root].sum - nodes[root].unloaded else { return nil }
        return position(of: rank) { nodes[$0].sum - nodes[$0].unloaded }
    }

    /// The position with so many others of its kind in front of it, where `size` counts that kind in a node and below.
    private func position(of rank: Int, _ size: (Int) -> Int) -> Int {
        var node = root
        var (rest, position) = (rank, 0)
        while true {
            let (left, right) = (nodes[node].left, nodes[node].right)
            let before = left < 0 ? 0 : size(left)
            if rest < before {
                node = left
                continue
            }
            let own = size(node) - before - (right < 0 ? 0 : size(right))
            position += sum(left)
            rest -= before
            if rest < own { return position + rest }
            position += nodes[node].weight
            rest -= own
            node = right
        }
    }

    /// The next node in order; -1 behind the last.
    func successor(of node: Int) -> Int {
        if nodes[node].right >= 0 { return leftmost(nodes[node].right) }
        var child = node
        while nodes[child].parent >= 0, nodes[nodes[child].parent].right == child {
            child = nodes[child].parent
        }
        return nodes[child].parent
    }

    /// The previous node in order; -1 in front of the first.
    func predecessor(of node: Int) -> Int {
        if nodes[node].left >= 0 { return rightmost(nodes[node].left) }
        var child = node
        while nodes[child].parent >= 0, nodes[nodes[child].parent].left == child {
            child = nodes[child].parent
        }
        return nodes[child].parent
    }

    /// Puts a node behind another, or in front of all for -1.
    ///
    /// - Returns: The node.
    mutating func attach(_ node: Int, after previous: Int) -> Int {
        let weight = nodes[node].weight
        withNode(node) { $0.weight = 0 }
        if root < 0 { setRoot(node) } else { link(node, behind: previous) }
        changeWeight(of: node, by: weight)
        while nodes[node].parent >= 0, nodes[nodes[node].parent].priority < nodes[node].priority {
            rotateUp(node)
        }
        return node
    }

    private mutating func link(_ node: Int, behind previous: Int) {
        if previous < 0 {
            link(node, under: leftmost(root), asLeft: true)
        } else if nodes[previous].right < 0 {
            link(node, under: previous, asLeft: false)
        } else {
            link(node, under: leftmost(nodes[previous].right), asLeft: true)
        }
    }

    /// Takes a node out.
    mutating func detach(_ node: Int) {
        changeWeight(of: node, by: -nodes[node].weight)
        while nodes[node].left >= 0 || nodes[node].right >= 0 {
            let (left, right) = (nodes[node].left, nodes[node].right)
            let takesLeft = right < 0 || (left >= 0 && nodes[left].priority > nodes[right].priority)
            rotateUp(takesLeft ? left : right)
        }
        let parent = nodes[node].parent
        if parent < 0 {
            setRoot(-1)
        } else {
            withNode(parent) { if $0.left == node { $0.left = -1 } else { $0.right = -1 } }
        }
        release(node)
    }

    /// Makes a node longer or shorter, and the sums up to the root with it.
    mutating func changeWeight(of node: Int, by difference: Int) {
        noteChange()
        withNode(node) { $0.weight += difference }
        let unloaded = nodes[node].isGap ? difference : 0
        var above = node
        while above >= 0 {
            withNode(above) {
                $0.sum += difference
                $0.unloaded += unloaded
            }
            above = nodes[above].parent
        }
    }

    private mutating func updateSum(_ node: Int) {
        let below = sum(nodes[node].left) + sum(nodes[node].right)
        let unloaded = unloaded(nodes[node].left) + unloaded(nodes[node].right)
        withNode(node) {
            $0.sum = below + $0.weight
            $0.unloaded = unloaded + ($0.isGap ? $0.weight : 0)
        }
    }

    func sum(_ node: Int) -> Int { node < 0 ? 0 : nodes[node].sum }

    private func unloaded(_ node: Int) -> Int { node < 0 ? 0 : nodes[node].unloaded }

    private func leftmost(_ node: Int) -> Int {
        var node = node
        while nodes[node].left >= 0 { node = nodes[node].left }
        return node
    }

    private func rightmost(_ node: Int) -> Int {
        var node = node
        while nodes[node].right >= 0 { node = nodes[node].right }
        return node
    }

    private mutating func link(_ node: Int, under parent: Int, asLeft: Bool) {
        withNode(parent) { if asLeft { $0.left = node } else { $0.right = node } }
        withNode(node) { $0.parent = parent }
    }

    /// Turns a node and its parent around, keeping the order.
    private mutating func rotateUp(_ node: Int) {
        let parent = nodes[node].parent
        let grandparent = nodes[parent].parent
        let isLeft = nodes[parent].left == node
        let inner = isLeft ? nodes[node].right : nodes[node].left
        withNode(parent) {
            if isLeft { $0.left = inner } else { $0.right = inner }
            $0.parent = node
        }
        if inner >= 0 { withNode(inner) { $0.parent = parent } }
        withNode(node) {
            if isLeft { $0.right = parent } else { $0.left = parent }
            $0.parent = grandparent
        }
        if grandparent >= 0 {
            withNode(grandparent) { if $0.left == parent { $0.left = node } else { $0.right = node } }
        } else {
            setRoot(node)
        }
        updateSum(parent)
        updateSum(node)
    }
}
