//! The Lobby's policy, sans-I/O. An object named `rooms/<game>` keeps the directory of a game's rooms; one
//! named `lease/<game>/<k>of16` keeps the leases of a sixteenth of its accounts.
//!
//! `leases.rs` says who holds a character, `breaks.rs` how an operator frees one, `forget.rs` what is left of a deleted
//! account, `session.rs` who a player is, `identity.rs` the same of an own identity provider's players, `codes.rs` how an
//! account comes to a second device, `visitors.rs` how many sessions an address may have, `directory.rs` which rooms are
//! listed. Absent: storage, clocks, calls to other objects; the platform performs what is returned here.

pub mod breaks;
pub mod codes;
pub mod directory;
pub mod forget;
pub mod identity;
pub mod leases;
pub mod session;
pub mod visitors;

/// Lease objects of a game. Another count is a migration: each account's row lies in the object of its
/// number.
pub const SHARDS: u8 = 16;

/// What a Lobby object is for, by its name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Role {
    /// Lists the rooms of a game.
    Rooms,
    /// Keeps the leases of the accounts of this number.
    Leases { game: String, shard: u8 },
}

impl Role {
    /// None for a name that no object of ours has.
    #[must_use]
    pub fn of(name: &str) -> Option<Role> {
        let parts: Vec<&str> = name.split('/').collect();
        match parts.as_slice() {
            ["rooms", _] => Some(Role::Rooms),
            ["lease", game, shard] => {
                let shard = shard.strip_suffix(&format!("of{SHARDS}"))?.parse().ok()?;
                (shard < SHARDS).then(|| Role::Leases { game: (*game).to_owned(), shard })
            }
            _ => None,
        }
    }
}

/// The object that lists a game's rooms.
#[must_use]
pub fn rooms_name(game: &str) -> String {
    format!("rooms/{game}")
}

/// The object that keeps an account's lease in a game.
#[must_use]
pub fn leases_name(game: &str, account: &str) -> String {
    format!("lease/{game}/{}of{SHARDS}", leases::shard(account))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_object_knows_by_its_name_what_it_is_for() {
        assert_eq!(Role::of(&rooms_name("isle")), Some(Role::Rooms));
        let name = leases_name("isle", "ada");
        let shard = leases::shard("ada");
        assert_eq!(Role::of(&name), Some(Role::Leases { game: "isle".to_owned(), shard }));
        for name in ["", "rooms", "rooms/a/b", "lease/isle/16of16", "lease/isle/3of8", "lease/isle/-1of16"] {
            assert_eq!(Role::of(name), None, "{name}");
        }
    }
}
