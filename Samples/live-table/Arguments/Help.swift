/// What `--help` prints.
enum Help {
    static let text = """
        live-table looks at a table on a server, and changes it.

        Usage: live-table URL/TABLE COMMAND [options]
               such as: live-table http://127.0.0.1:8080/airports list --limit 5
                        live-table pocketbase:http://127.0.0.1:8090/people watch
                        live-table backendless:https://api.backendless.com/APP-ID/API-KEY/Person count
                        live-table kinto:http://127.0.0.1:8888/v1/BUCKET/people watch

        Reading
          list                  print the rows as they come
          count                 print how many rows there are
          populate              load every row, and show how that goes
          watch                 print each change as one line of JSON, until stopped
          browse                look through the rows on the whole screen, live; ? shows the keys

        Writing
          add JSON | -          add an object, an array of objects, or JSON Lines; - reads standard input
          update ID JSON        change the members given of one row
          remove ID...          remove rows by their ids
          remove-all            remove all rows that match --where (all rows: --yes)

        Options
          --where CLAUSE        only these rows: "country = 'JP' and elevation > 1000"
          --sort TERMS          in this order: "elevation desc nulls last, name"
          --limit N             list at most N rows
          --columns A,B         show these columns
          --format FORMAT       table, json or csv
          --page-size N         rows asked for at a time
          --for SECONDS         stop watching or browsing after this time
          --token-file FILE     the token for the server is in FILE
          --account-file FILE   who you are: a line with your name there, and one with the password
                                (PocketBase: COLLECTION/NAME for another collection than users)
          --yes                 do not ask before removing all rows
          --help                print this

        Exit codes: 0 done, 1 a request failed, 2 bad usage.

        """
}
