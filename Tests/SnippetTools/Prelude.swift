#if canImport(Glibc)
import Glibc
#else
import Darwin
#endif

// What the programs of snippets have beside them.

/// Where the server is that a document has started.
let snippetServer = CommandLine.arguments.count > 1 ? CommandLine.arguments[1] : "http://127.0.0.1:8080"

/// Notes which snippet begins, for the report if it fails.
func snippetBegins(_ place: String) {
    guard let path = getenv("SNIPPET_PLACE"), let file = fopen(path, "w") else { return }
    fputs(place, file)
    fclose(file)
}

/// Uses a constant that a snippet only declares.
func snippetUses<Value>(_ value: Value) {}

/// Uses a variable that a snippet only declares.
func snippetUses<Value>(_ value: inout Value) {}
