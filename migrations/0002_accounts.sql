-- Accounts that were deleted, that came from an identity provider, or that are on their way to a second device.

-- What is left of a deleted account: writes of its characters, records and row are refused by it, for copies may be on their
-- way for a while, and its tokens open nothing any more.
CREATE TABLE deleted (
    account TEXT PRIMARY KEY,
    deleted_at INTEGER NOT NULL     -- milliseconds since 1970
) WITHOUT ROWID;

-- Guests that were joined to a subject of the operator's identity provider. A subject that is not here has an account made
-- from its name, so that a player of the provider leaves nothing here before a first character.
CREATE TABLE identities (
    issuer TEXT NOT NULL,
    subject TEXT NOT NULL,
    account TEXT NOT NULL,
    joined_at INTEGER NOT NULL,
    PRIMARY KEY (issuer, subject)
) WITHOUT ROWID;

-- Found by account when that is deleted.
CREATE INDEX identities_account ON identities (account);

-- One-time codes by which an account comes to a second device: a keyed hash of each, so that who reads this learns none.
-- Few are alive at a time, so looking for those of an account or for expired ones reads few rows.
CREATE TABLE codes (
    code TEXT PRIMARY KEY,
    account TEXT NOT NULL,
    expires_at INTEGER NOT NULL     -- milliseconds since 1970
) WITHOUT ROWID;
