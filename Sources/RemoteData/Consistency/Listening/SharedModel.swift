/// A model that is handed to many without being copied for each of them.
@usableFromInline protocol SharedModel: AnyObject, Sendable {
    var model: any ConsistentModel { get }

    /// The same with another model in the place of one that it is made of.
    func exchanging(_ place: Int, for newer: any ConsistentModel) -> SharedExchange
}

/// What comes of a model's putting another one in the place of one that it is made of.
@usableFromInline enum SharedExchange {
    /// Both say the same.
    case same
    case exchanged(any SharedModel)
    /// Asks for more than that.
    case unknown
}

@usableFromInline final class SharedModelOf<Model: ConsistentModel>: SharedModel {
    @usableFromInline let value: Model

    init(_ value: Model) { self.value = value }

    @usableFromInline var model: any ConsistentModel { value }

    @usableFromInline func exchanging(_ place: Int, for newer: any ConsistentModel) -> SharedExchange {
        var model = value
        return switch model._exchange(place, for: newer) {
        case .same: .same
        case .exchanged: .exchanged(SharedModelOf(model))
        case .unknown: .unknown
        }
    }
}

/// The model as one of a type; nil where it is of another.
@inlinable @inline(__always)
func value<Model: ConsistentModel>(of shared: any SharedModel, as type: Model.Type) -> Model? {
    // Nearly always it is just that, which costs less to ask.
    if let same = shared as? SharedModelOf<Model> { return same.value }
    return shared.model as? Model
}

func share(_ model: some ConsistentModel) -> any SharedModel { SharedModelOf(model) }
