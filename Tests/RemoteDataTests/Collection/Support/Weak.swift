/// A look at an object that does not keep it.
struct Weak<Object: AnyObject> {
    private(set) weak var object: Object?

    init(_ object: Object?) { self.object = object }

    /// Whether nobody holds it any more.
    var isGone: Bool { object == nil }
}
