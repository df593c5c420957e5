-- Accounts, their characters and their records. Only the Lobby writes them.

-- An account has a row from its first character on, not from POST /api/session: those who only look leave nothing here.
-- Its id is all there is: no name, no address, nothing to leak.
CREATE TABLE accounts (
    account TEXT PRIMARY KEY,       -- 1 to 64 of A-Z a-z 0-9 _ -
    created_at INTEGER NOT NULL     -- milliseconds since 1970
) WITHOUT ROWID;

-- What an account carries between rooms of a game. (lease, seq) orders the copies: a row is replaced by a newer copy
-- only, so a copy that arrives late or twice changes nothing. Without rowid, as all three: a row written a copy, and
-- not one more for an index.
CREATE TABLE characters (
    account TEXT NOT NULL,
    game TEXT NOT NULL,
    lease INTEGER NOT NULL,         -- the grant the copy was made under, which rises with each grant
    seq INTEGER NOT NULL,           -- rises with each copy of one hold, the return last
    schema TEXT NOT NULL,           -- hash of the schema the body was written by, hexadecimal
    body TEXT NOT NULL,             -- JSON: {"kind","at","velocity","heading","f":{fields by name}}, so that an operator
                                    -- reads it: SELECT account, json_extract(body, '$.f.gold') FROM characters
    room TEXT NOT NULL,             -- where the copy came from, for an operator
    updated_at INTEGER NOT NULL,
    PRIMARY KEY (account, game)     -- one holder: there is one row to hold
) WITHOUT ROWID;

-- What the rules recorded of an account (wins, best times), by key. seq makes a repeated message harmless.
CREATE TABLE records (
    account TEXT NOT NULL,
    game TEXT NOT NULL,
    key TEXT NOT NULL,
    value TEXT NOT NULL,            -- JSON
    room TEXT NOT NULL,
    seq INTEGER NOT NULL,           -- of the commit that recorded it: with the room, which one is newer
    updated_at INTEGER NOT NULL,
    PRIMARY KEY (account, game, key)
) WITHOUT ROWID;
