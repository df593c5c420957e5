use crate::rules::{map::Map, motion::Pose, schema::KindSpec};
pub enum ClaimError {
    Speed,
}
pub fn check(_f: &Pose, c: &Pose, _k: &KindSpec, _m: &Map, _hz: u32, _t: u32) -> Result<Pose, ClaimError> {
    Ok(*c)
}
