import Foundation
import RemoteData

/// Every face of a collection that blocks and throws, to be called alike.
enum BlockingFace: CaseIterable, Sendable {
    case add, addMany, insert, insertMany, update, remove, removeAt, removeAll, removeAllByText,
        removeAllByPredicate, populate, refresh

    func call(_ people: RemoteDataCollection<Person>) throws {
        let new = Person(name: "new", age: 3)
        switch self {
        case .add: try people.add(new)
        case .addMany: try people.add(contentsOf: [new, new])
        case .insert: try people.insert(new, at: 0)
        case .insertMany: try people.insert(contentsOf: [new, new], at: 0)
        case .update: try people.update(Person(id: "p00003", name: "new", age: 3))
        case .remove: try people.remove(Person(number: 3))
        case .removeAt: try people.remove(at: 3)
        case .removeAll: try people.removeAll()
        case .removeAllByText: try people.removeAll(where: "age < 4")
        case .removeAllByPredicate: try people.removeAll(where: #Predicate { $0.name == "p00003" })
        case .populate: try people.populate()
        case .refresh: try people.refresh()
        }
    }
}
