//! Places as clients see them: metres along two axes, and a third on a map with height.

use serde::{Deserialize, Serialize};

use crate::limits::POSITION_STEPS_PER_METRE;

/// `[x,y]`, or `[x,y,z]` on a map with height. Metres.
#[derive(Clone, Copy, Debug, Default, PartialEq, Deserialize, Serialize)]
pub struct Place(
    pub f64,
    pub f64,
    #[serde(default, skip_serializing_if = "Option::is_none")] pub Option<f64>,
);

impl Place {
    /// A stored position as it is shown on a map with or without height.
    #[must_use]
    pub fn of(steps: [i32; 3], has_height: bool) -> Place {
        let [x, y, z] = steps.map(metres);
        Place(x, y, has_height.then_some(z))
    }

    /// All three axes; z is 0 on a flat map.
    #[must_use]
    pub fn axes(self) -> [f64; 3] {
        [self.0, self.1, self.2.unwrap_or(0.0)]
    }
}

/// Steps of a stored position in metres: exact, a step is a power of two.
#[must_use]
pub fn metres(steps: i32) -> f64 {
    f64::from(steps) / f64::from(POSITION_STEPS_PER_METRE)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_place_has_two_numbers_or_three() {
        let text = |place: Place| serde_json::to_string(&place).expect("JSON");
        assert_eq!(text(Place::of([512, -256, 0], false)), "[1.0,-0.5]");
        assert_eq!(text(Place::of([512, -256, 0], true)), "[1.0,-0.5,0.0]");
        let read = |text: &str| serde_json::from_str::<Place>(text).ok().map(Place::axes);
        assert_eq!(read("[1,2]"), Some([1.0, 2.0, 0.0]));
        assert_eq!(read("[1,2,3]"), Some([1.0, 2.0, 3.0]));
        for bad in ["[1]", "[1,2,3,4]", "[]", "{}", "[1,\"2\"]"] {
            assert_eq!(read(bad), None, "{bad}");
        }
    }
}
