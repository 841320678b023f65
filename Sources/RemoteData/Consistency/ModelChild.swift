/// Where a model has models that it is made of: in a property, which may be optional, or in an array.
public struct ModelChild<Model: ConsistentModel>: Sendable {
    @usableFromInline let count: @Sendable (Model) -> Int
    @usableFromInline let get: @Sendable (Model, Int) -> any ConsistentModel
    /// Takes changes in the order of their places, which count from the first of these children; false when the model cannot be.
    @usableFromInline let set: @Sendable (inout Model, ArraySlice<ModelChange>) -> Bool
    /// Puts one in the place of another.
    @usableFromInline let exchange: @Sendable (inout Model, Int, any ConsistentModel) -> PartExchange

    @usableFromInline init(
        count: @escaping @Sendable (Model) -> Int,
        get: @escaping @Sendable (Model, Int) -> any ConsistentModel,
        set: @escaping @Sendable (inout Model, ArraySlice<ModelChange>) -> Bool,
        exchange: @escaping @Sendable (inout Model, Int, any ConsistentModel) -> PartExchange
    ) {
        self.count = count
        self.get = get
        self.set = set
        self.exchange = exchange
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
            },
            exchange: { model, _, newer in
                PartExchange.exchange(&model[keyPath: path], for: newer)
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
            },
            exchange: { model, _, newer in
                guard var child = model[keyPath: path] else { return .unknown }
                let outcome = PartExchange.exchange(&child, for: newer)
                if outcome == .exchanged { model[keyPath: path] = child }
                return outcome
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
            },
            exchange: { model, index, newer in
                model[keyPath: path].exchange(index, for: newer)
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

/// What comes of putting a model in the place of another one that something is made of.
@frozen public enum PartExchange: Sendable {
    /// Both say the same.
    case same
    case exchanged
    /// One describes it by another type, or it is not where it should be.
    case unknown

    @inlinable static func exchange<Child: ConsistentModel>(
        _ child: inout Child,
        for newer: any ConsistentModel
    ) -> PartExchange {
        guard type(of: newer) == type(of: child), let other = newer as? Child else { return .unknown }
        if child.isSame(as: newer) { return .same }
        child = other
        return .exchanged
    }
}

extension Array where Element: ConsistentModel {
    @inlinable mutating func exchange(_ index: Int, for newer: any ConsistentModel) -> PartExchange {
        // Looked at before it is written to, which may copy all of it.
        guard indices.contains(index), type(of: newer) == type(of: self[index]), let other = newer as? Element
        else { return .unknown }
        if self[index].isSame(as: newer) { return .same }
        self[index] = other
        return .exchanged
    }
}
