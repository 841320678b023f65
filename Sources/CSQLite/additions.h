#pragma once
// What Swift does not import of SQLite, and what older versions do not have, such as the one that SQLCipher is made of.

// SQLITE_TRANSIENT is a cast macro, which Swift does not import.
static inline sqlite3_destructor_type _Nullable csqlite_transient(void) {
    return SQLITE_TRANSIENT;
}

// How many parameters a statement may have, with some to spare.
static inline int csqlite_parameter_limit(void) {
#if SQLITE_VERSION_NUMBER < 3032000
    return 900;
#else
    return 20000;
#endif
}

static inline int csqlite_prepare(
    sqlite3 *_Nonnull handle, const char *_Nonnull sql, sqlite3_stmt *_Nullable *_Nonnull statement) {
#if SQLITE_VERSION_NUMBER < 3020000
    return sqlite3_prepare_v2(handle, sql, -1, statement, 0);
#else
    return sqlite3_prepare_v3(handle, sql, -1, SQLITE_PREPARE_PERSISTENT, statement, 0);
#endif
}

static inline sqlite3_int64 csqlite_changes(sqlite3 *_Nonnull handle) {
#if SQLITE_VERSION_NUMBER < 3037000
    return sqlite3_changes(handle);
#else
    return sqlite3_changes64(handle);
#endif
}

// The flags of functions that give the same for the same and may be used in indexes.
static inline int csqlite_function_flags(void) {
#if SQLITE_VERSION_NUMBER < 3031000
    return SQLITE_UTF8 | SQLITE_DETERMINISTIC;
#else
    return SQLITE_UTF8 | SQLITE_DETERMINISTIC | SQLITE_INNOCUOUS;
#endif
}

#if SQLITE_VERSION_NUMBER < 3020000
// Pointers as SQLite passes them from 3.20 on, in a blob of their own: the type's name, an address that nothing else has,
// and the pointer. Statements are made here alone, and bind no other blob where a pointer is expected.
typedef struct {
    const char *type;
    void *value;
} csqlite_pointer;
#endif

// Binds an object to a parameter. Where it returns false the object is not kept by SQLite, and has to be by the caller.
static inline _Bool csqlite_keeps_pointers(void) {
#if SQLITE_VERSION_NUMBER < 3020000
    return 0;
#else
    return 1;
#endif
}

static inline int csqlite_bind_pointer(
    sqlite3_stmt *_Nonnull statement, int index, void *_Nonnull value, const char *_Nonnull type,
    void (*_Nonnull destroy)(void *_Nullable)) {
#if SQLITE_VERSION_NUMBER < 3020000
    csqlite_pointer pointer = {type, value};
    return sqlite3_bind_blob(statement, index, &pointer, sizeof pointer, SQLITE_TRANSIENT);
#else
    return sqlite3_bind_pointer(statement, index, value, type, destroy);
#endif
}

static inline void *_Nullable csqlite_value_pointer(sqlite3_value *_Nullable value, const char *_Nonnull type) {
#if SQLITE_VERSION_NUMBER < 3020000
    if (sqlite3_value_type(value) != SQLITE_BLOB) return 0;
    if (sqlite3_value_bytes(value) != sizeof(csqlite_pointer)) return 0;
    csqlite_pointer pointer;
    __builtin_memcpy(&pointer, sqlite3_value_blob(value), sizeof pointer);
    return pointer.type == type ? pointer.value : 0;
#else
    return sqlite3_value_pointer(value, type);
#endif
}

// Gives an encrypted file its key. SQLITE_MISUSE where SQLite cannot encrypt.
static inline int csqlite_key(sqlite3 *_Nonnull handle, const void *_Nonnull key, int count) {
#ifdef SQLITE_HAS_CODEC
    return sqlite3_key(handle, key, count);
#else
    return SQLITE_MISUSE;
#endif
}

static inline _Bool csqlite_encrypts(void) {
#ifdef SQLITE_HAS_CODEC
    return 1;
#else
    return 0;
#endif
}
