/// Where a model has models that it is made of: in a property, which may be optional, or in an array.
public struct ModelChild<Model: ConsistentModel>: Sendable {
    @usableFromInline let count: @Sendable (Model) -> Int
    @usableFromInline let get: @Sendable (Model, Int) -> any ConsistentModel
    /// Takes changes in the order of their places, which count from the first of these children; false when the model cannot be.
    @usableFromInline let set: @Sendable (inout Model, ArraySlice<ModelChange>) -> Bool

    @usableFromInline init(
        count: @escaping @Sendable (Model) -> Int,
        get: @escaping @Sendable (Model, Int) -> any ConsistentModel,
        set: @escaping @Sendable (inout Model, ArraySlice<ModelChange>) -> Bool
    ) {
        self.count = count
        self.get = get
        self.set = set
    }

    @inlinable func visit(_ model: Model, _ visit: (any ConsistentModel) -> Void) {
        for index in 0..<count(model) { visit(get(model, index)) }
    }

    /// One that the model cannot be without.
    @inlinable public static func one<Child: ConsistentModel>(
        _ path: any WritableKeyPath<Model, Child> & Sendable
    ) -> ModelChild {
        ModelChild(
            count: { _ in 1 },
            get: { model, _ in model[keyPath: path] },
            set: { model, changes in
                for change in changes {
                    guard let child = change.model as? Child else { return false }
                    model[keyPath: path] = child
                }
                return true
            }
        )
    }

    /// One that may be missing.
    @inlinable public static func one<Child: ConsistentModel>(
        _ path: any WritableKeyPath<Model, Child?> & Sendable
    ) -> ModelChild {
        ModelChild(
            count: { $0[keyPath: path] == nil ? 0 : 1 },
            get: { model, _ in
                guard let child = model[keyPath: path] else { preconditionFailure("There is no such child.") }
                return child
            },
            set: { model, changes in
                for change in changes { model[keyPath: path] = change.model as? Child }
                return true
            }
        )
    }

    /// Any number, of which each may go.
    @inlinable public static func many<Child: ConsistentModel>(
        _ path: any WritableKeyPath<Model, [Child]> & Sendable
    ) -> ModelChild {
        ModelChild(
            count: { $0[keyPath: path].count },
            get: { model, index in model[keyPath: path][index] },
            set: { model, changes in
                model[keyPath: path].take(changes)
                return true
            }
        )
    }
}

extension Array where Element: ConsistentModel {
    /// Replaces and removes elements, by their places before anything goes.
    ///
    /// - Complexity: O(changes), and O(count) when some go.
    @inlinable mutating func take(_ changes: ArraySlice<ModelChange>) {
        var hasGone = false
        for change in changes {
            if let element = change.model as? Element { self[change.place] = element } else { hasGone = true }
        }
        guard hasGone else { return }
        var gone = changes.lazy.filter { !($0.model is Element) }.makeIterator()
        var next = gone.next()
        var kept: [Element] = []
        kept.reserveCapacity(count)
        for (place, element) in enumerated() {
            if place == next?.place { next = gone.next() } else { kept.append(element) }
        }
        self = kept
    }
}
