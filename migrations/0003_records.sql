-- What the rules recorded (wins, best times), one row each, for lists of the best: GET /api/records.
--
-- The table of before was keyed by account and key, so a second record replaced the first, and nothing ever wrote to it.
DROP TABLE records;

CREATE TABLE records (
    id TEXT PRIMARY KEY,            -- the room's 128 random bits, epoch, tick and number in the room: a record that is
                                    -- sent twice is here once
    game TEXT NOT NULL,
    key TEXT NOT NULL,
    value TEXT NOT NULL,            -- as the rules gave it
    rank REAL,                      -- its number, by which lists are ordered; NULL: it is none
    owner TEXT NOT NULL,            -- whose it is, an account as a rule; found by it when an account is deleted
    room TEXT NOT NULL,             -- where it was made, for the list
    recorded_at INTEGER NOT NULL    -- milliseconds since 1970
) WITHOUT ROWID;

-- A list reads its 100 rows and no others.
CREATE INDEX records_best ON records (game, key, rank DESC, recorded_at);

-- A deleted account's records are found without reading those of all others.
CREATE INDEX records_owner ON records (owner);
