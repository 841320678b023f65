/// An immutable model that is kept the same wherever it is held: by itself, or as a part of others, which make up a tree.
///
/// For a plain struct an id and a list of its children are enough:
///
/// ```swift
/// struct Message: ConsistentModel, Equatable {
///     var id: String
///     var text: String
///     var author: Person
///     var modelID: ModelID? { ModelID(id, of: "message") }
///     static let children: [ModelChild<Message>] = [.one(\.author)]
/// }
/// ```
///
/// A model that cannot list its children writes ``forEach(_:)`` and ``map(_:)`` itself.
public protocol ConsistentModel: Sendable {
    /// The id; nil for what is only a part of its parent.
    var modelID: ModelID? { get }

    /// Where the models are that this one is made of; none unless said otherwise.
    static var children: [ModelChild<Self>] { get }

    /// Visits the models that this one is made of, not those that these are made of.
    func forEach(_ visit: (any ConsistentModel) -> Void)

    /// The same with other models in the place of those that it is made of, which are visited in the order of ``forEach(_:)``.
    ///
    /// - Parameter transform: The model in the place of one; nil for none. It gives back a model of the same type.
    /// - Returns: The model; nil when it cannot be without one that is gone.
    func map(_ transform: (any ConsistentModel) -> (any ConsistentModel)?) -> Self?

    /// Whether another model with this id says the same, its parts included; what does not matter to whoever holds it may differ,
    /// and then is not told.
    func isSame(as other: any ConsistentModel) -> Bool

    /// Whether another model could stand for this one, so that both need be held once only; false is always right.
    func isInterchangeable(with other: any ConsistentModel) -> Bool

    /// This model with what is newer of the same thing; unless said otherwise that itself, if it is of the same type, and this as
    /// it is if not.
    ///
    /// For things that several types describe, each in part. It is asked only where the types differ.
    func merged(with newer: any ConsistentModel) -> Self

    /// Not to be written by hand: one of the models that it is made of, by how many come before it; nil where that is not known
    /// from ``children``.
    func _part(at place: Int) -> (any ConsistentModel)?

    /// Not to be written by hand: the same with some of the models that it is made of replaced, in the order of their places; nil when it cannot
    /// be without one.
    func _replacing(_ changes: ArraySlice<ModelChange>) -> Self?

    /// Not to be written by hand: puts another model in the place of one that it is made of, where that is enough.
    mutating func _exchange(_ place: Int, for newer: any ConsistentModel) -> PartExchange
}

extension ConsistentModel {
    /// None.
    public static var children: [ModelChild<Self>] { [] }

    /// Visits the models that ``children`` lists.
    @inlinable public func forEach(_ visit: (any ConsistentModel) -> Void) {
        for child in Self.children { child.visit(self, visit) }
    }

    /// Replaces the models that ``children`` lists.
    public func map(_ transform: (any ConsistentModel) -> (any ConsistentModel)?) -> Self? {
        guard !Self.children.isEmpty else { return self }
        var changes: [ModelChange] = []
        forEach { changes.append(ModelChange(place: changes.count, model: transform($0))) }
        return _replacing(changes[...])
    }

    /// No: nothing is known of it.
    public func isInterchangeable(with other: any ConsistentModel) -> Bool { false }

    /// What is newer, if it is of the same type.
    public func merged(with newer: any ConsistentModel) -> Self { newer as? Self ?? self }
}

extension ConsistentModel where Self: Equatable {
    /// Whether the two are equal.
    @inlinable public func isSame(as other: any ConsistentModel) -> Bool {
        (other as? Self).map { $0 == self } ?? false
    }

    /// Whether the two are equal.
    @inlinable public func isInterchangeable(with other: any ConsistentModel) -> Bool {
        (other as? Self).map { $0 == self } ?? false
    }
}
