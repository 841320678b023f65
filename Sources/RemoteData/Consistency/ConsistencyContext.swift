/// What whoever changes a model says to those who are told of it: values by their types.
///
/// ```swift
/// manager.update(person, context: ConsistencyContext(Source.contacts))
/// …
/// if context[Source.self] == .contacts { … }
/// ```
public struct ConsistencyContext: Sendable {
    private var values: [ObjectIdentifier: any Sendable]?

    /// Nothing.
    public static let none = ConsistencyContext()

    /// Says nothing.
    public init() {}

    /// Says one thing.
    public init<Value: Sendable>(_ value: Value) { values = [ObjectIdentifier(Value.self): value] }

    /// What was said of a type; nil for nothing.
    public subscript<Value: Sendable>(_ type: Value.Type) -> Value? {
        get { values?[ObjectIdentifier(type)] as? Value }
        set {
            var others = values ?? [:]
            others[ObjectIdentifier(type)] = newValue.map { $0 as any Sendable }
            values = others
        }
    }

    /// The same, and another value of another type.
    public func with(_ value: some Sendable) -> ConsistencyContext {
        var context = self
        context[type(of: value)] = value
        return context
    }
}
