/// A model in the place of another one; nil for none.
public struct ModelChange: Sendable {
    /// How many models come before it among those that its parent is made of.
    public let place: Int
    /// The model.
    public let model: (any ConsistentModel)?

    /// Puts a model in a place.
    @inlinable public init(place: Int, model: (any ConsistentModel)?) {
        self.place = place
        self.model = model
    }
}
