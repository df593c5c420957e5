//! Areas: discs on the ground that last for a while, such as fire or a safe spot. Rules ask which ones cover a point.
//!
//! In order of their making. Absent: what an area does; the rules' handlers decide that.

use crate::limits::AREAS_MAX;

/// The number of an area, never used twice in a room.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct AreaId(pub u32);

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AreaState {
    pub id: AreaId,
    pub name: String,
    /// Steps.
    pub at: [i32; 3],
    /// Steps.
    pub radius: i32,
    /// The tick, or the millisecond, from which it is no more.
    pub ends: u64,
}

/// The areas of a room, by rising id.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Areas {
    pub list: Vec<AreaState>,
    pub next_id: u32,
}

impl Areas {
    pub fn make(&mut self, name: &str, at: [i32; 3], radius: i32, ends: u64) -> Option<AreaId> {
        if self.list.len() >= AREAS_MAX || self.next_id == u32::MAX {
            return None;
        }
        let id = AreaId(self.next_id);
        self.next_id += 1;
        self.list.push(AreaState { id, name: name.to_owned(), at, radius, ends });
        Some(id)
    }

    pub fn remove(&mut self, id: AreaId) -> Option<AreaState> {
        let place = self.list.binary_search_by_key(&id, |area| area.id).ok()?;
        Some(self.list.remove(place))
    }

    pub fn put_back(&mut self, area: AreaState) {
        let place = self.list.partition_point(|other| other.id < area.id);
        self.list.insert(place, area);
    }

    /// Drops the areas whose time is over; says whether there were any.
    pub fn expire(&mut self, now: u64) -> bool {
        let before = self.list.len();
        self.list.retain(|area| area.ends > now);
        self.list.len() < before
    }
}
