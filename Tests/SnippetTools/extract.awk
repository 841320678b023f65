# Makes programs of the blocks of a document, for Tests/snippets, which says how: into `folder`. Prints what is
# wrong with a block as document:line: text.

function place(line) { return document ":" line }

function problem(line, text) { print place(line) ": error: " text }

# A line of Swift without what is in strings and comments.
function code(line) {
    gsub(/"([^"\\]|\\.)*"/, "\"\"", line)
    sub(/\/\/.*$/, "", line)
    return line
}

# By how much braces, parentheses and brackets are more open after a line.
function opened(line, copy) {
    copy = line = code(line)
    return gsub(/[{([]/, "", line) - gsub(/[])}]/, "", copy)
}

function declares(line) {
    return line ~ /^(@[A-Z][A-Za-z]* )?((public|private|final|indirect|nonisolated) )*(struct|class|enum|actor|extension|protocol|func|typealias|import) /
}

function at(line) { return "#sourceLocation(file: \"" document "\", line: " line ")\n" }

# The address of the server that was started.
function addressed(line) {
    gsub(/"http:\/\/127\.0\.0\.1:8080/, "\"\\(snippetServer)", line)
    return line
}

# A program that a reader may copy as it is.
function whole(start, folder_of_it, i) {
    folder_of_it = folder "/swift-" start
    system("mkdir -p '" folder_of_it "'")
    printf "snippetBegins(\"%s\")\n%s", place(start), at(start) >(folder_of_it "/main.swift")
    for (i = 1; i <= count; i++) print addressed(text[i]) >(folder_of_it "/main.swift")
    close(folder_of_it "/main.swift")
    if (directive ~ /^prints /) print start "\t" substr(directive, 8) >(folder_of_it "/prints")
}

# Statements of a block, which the blocks after it see. Synchronous ones are in a closure of their own: the compiler chooses
# blocking or asynchronous functions by where they are called.
function add_statements(start, body, is_async, names, kinds, total, list, begin, i) {
    begin = "snippetBegins(\"" place(start) "\")\n"
    for (i = 1; i <= total; i++) list = list (i > 1 ? ", " : "") (kinds[i] == "var" && !is_async ? "snippet_" : "") names[i]
    if (is_async) statements = statements "do {\n" begin body "\n#sourceLocation()\n"
    else {
        statements = statements "do {\n" begin (total ? "let " (total > 1 ? "(" list ")" : list) " = " : "")
        statements = statements "try { () throws " (total ? "" : "-> Void ") "in\n" body "\n#sourceLocation()\n"
        if (total) {
            gsub(/snippet_/, "", list)
            statements = statements "return (" list ")\n"
        }
        statements = statements "}()\n"
        for (i = 1; i <= total; i++)
            if (kinds[i] == "var") statements = statements "var " names[i] " = snippet_" names[i] "\n"
    }
    for (i = 1; i <= total; i++)
        statements = statements "snippetUses(" (kinds[i] == "var" ? "&" : "") names[i] ")\n"
    scopes++
}

function outline(file, i, line, found) {
    while ((getline line <file) > 0) found[line] = 1
    close(file)
    for (i = 1; i <= count; i++)
        if (text[i] ~ /^ *func / && !(text[i] in found)) problem(first + i - 1, file " does not have" text[i])
}

function swift(is_hidden, i, depth, is_declaration, was, body, is_async, names, kinds, total, words, start, declared) {
    if (text[1] ~ /^import / && !is_hidden) return whole(first)
    if (directive ~ /^outline of /) return outline(substr(directive, 12))
    for (i = 1; i <= count; i++) {
        if (depth == 0 && text[i] !~ /^ *$/) is_declaration = declares(text[i]) || (is_hidden && text[1] ~ /^import /)
        if (is_declaration) {
            declarations = declarations (declared == i - 1 && i > 1 ? "" : at(first + i - 1)) addressed(text[i]) "\n"
            declared = i
        }
        else if (text[i] !~ /^ *$/) {
            if (!start) start = first + i - 1
            body = body (was == i - 1 && body != "" ? "" : at(first + i - 1)) addressed(text[i]) "\n"
            was = i
            if (code(text[i]) ~ /(^|[^A-Za-z_])await([^A-Za-z_]|$)/) is_async = 1
            if (depth == 0 && text[i] ~ /^(let|var) +[A-Za-z_]+/) {
                split(text[i], words, /[ :=]+/)
                total++
                kinds[total] = words[1]
                names[total] = words[2]
            }
        }
        if (text[i] ~ /@Test/) has_tests = 1
        depth += opened(text[i])
    }
    if (body != "") add_statements(start, body, is_async, names, kinds, total)
    has_swift = 1
}

function json(i) {
    statements = statements "do {\nlet json = #\"\"\"\n"
    for (i = 1; i <= count; i++) statements = statements text[i] "\n"
    statements = statements "\"\"\"#\nsnippetUses(json)\n"
    scopes++
}

# The script has its lines where the document has them, and notes which one it is at.
function shell(i) {
    if (!script++) print "trap 'printf %s \"" document ":$LINENO\" >\"$SNIPPET_PLACE\"' DEBUG" >(folder "/shell")
    while (script < first - 1) { print "" >(folder "/shell"); script++ }
    for (i = 1; i <= count; i++) { print text[i] >(folder "/shell"); script++ }
}

function block() {
    print place(first) >(folder "/blocks")
    if (language == "swift") swift(0)
    else if (language == "json") json()
    else if (language == "sh") shell()
    else problem(first - 1, "a block is swift, json or sh, not \"" language "\"")
    directive = ""
}

/^```/ {
    if (!in_block) { language = substr($0, 4); count = 0; first = FNR + 1; in_block = 1 }
    else { in_block = 0; block() }
    next
}
in_block { text[++count] = $0; next }
/^<!-- snippet: / { directive = $0; sub(/^<!-- snippet: /, "", directive); sub(/ *-->$/, "", directive); next }
/^<!-- snippet$/ { count = 0; first = FNR + 1; in_hidden = 1; next }
in_hidden && /^-->/ { in_hidden = 0; swift(1); next }
in_hidden { text[++count] = $0 }

END {
    if (in_block || in_hidden) problem(first - 1, "the block that begins here does not end")
    if (!has_swift) exit
    system("mkdir -p '" folder "/swift-all'")
    program = folder "/swift-all/program.swift"
    print "import RemoteData\nimport RemoteDataBackends\nimport RemoteDataSQLite" >program
    if (declarations != "") printf "%s#sourceLocation()\n", declarations >program
    print "@main struct Snippets {\nstatic func main() async throws {" >program
    printf "%s", statements >program
    if (has_tests)
        print "let status: CInt = await Testing.__swiftPMEntryPoint(passing: nil)\nprecondition(status == 0)" >program
    while (scopes-- > 0) print "}" >program
    print "}\n}" >program
}
