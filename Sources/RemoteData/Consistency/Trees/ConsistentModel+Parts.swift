// What a model is made of, one by one; for the compiler to make special code of where a model is defined.
extension ConsistentModel {
    /// What ``children`` say.
    @inlinable public func _part(at place: Int) -> (any ConsistentModel)? {
        var rest = place
        for child in Self.children {
            let count = child.count(self)
            if rest < count { return child.get(self, rest) }
            rest -= count
        }
        return nil
    }

    /// As ``children`` say; where there are none as ``map(_:)`` does.
    @inlinable public func _replacing(_ changes: ArraySlice<ModelChange>) -> Self? {
        let children = Self.children
        guard !children.isEmpty else { return mapping(changes) }
        var copy = self
        if children.count == 1 { return children[0].set(&copy, changes) ? copy : nil }
        var (start, next) = (0, changes.startIndex)
        for child in children where next < changes.endIndex {
            let count = child.count(self)
            let first = next
            while next < changes.endIndex, changes[next].place < start + count { next += 1 }
            if first < next {
                let own = changes[first..<next].map { ModelChange(place: $0.place - start, model: $0.model) }
                guard child.set(&copy, own[...]) else { return nil }
            }
            start += count
        }
        return copy
    }

    /// As ``children`` say; not where there are none.
    @inlinable public mutating func _exchange(_ place: Int, for newer: any ConsistentModel) -> PartExchange {
        let children = Self.children
        if children.count == 1 { return children[0].exchange(&self, place, newer) }
        var rest = place
        for child in children {
            let count = child.count(self)
            if rest < count { return child.exchange(&self, rest, newer) }
            rest -= count
        }
        return .unknown
    }

    @usableFromInline func mapping(_ changes: ArraySlice<ModelChange>) -> Self? {
        guard !changes.isEmpty else { return self }
        var (place, next) = (0, changes.startIndex)
        return map { model in
            defer { place += 1 }
            guard next < changes.endIndex, changes[next].place == place else { return model }
            next += 1
            return changes[next - 1].model
        }
    }

    /// The models that it is made of.
    var parts: ContiguousArray<any ConsistentModel> {
        var parts: ContiguousArray<any ConsistentModel> = []
        forEach { parts.append($0) }
        return parts
    }
}
