/// A table for which there may be several objects.
package protocol IdentifiedTable: Table {
    /// The same for all objects of the table, and for no other: their revisions can be compared.
    var identity: ObjectIdentifier { get }
}
