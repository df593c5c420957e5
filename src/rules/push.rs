use crate::rules::{engine::Head, map::Map, schema::KindSpec};
pub fn push_apart(_h: &mut [Head], _k: &[KindSpec], _m: &Map) {}
