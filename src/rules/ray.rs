use crate::rules::map::Map;
use crate::rules::vec3::Vec3;
#[derive(Clone, Copy)]
pub struct RayHit {
    pub at: Vec3,
    pub part: f64,
    pub shape: usize,
}
pub fn ray_sphere(_f: Vec3, _t: Vec3, _c: Vec3, _r: f64) -> Option<f64> {
    None
}
impl Map {
    pub fn ray(&self, from: Vec3, to: Vec3) -> Option<RayHit> {
        let v = |p: Vec3| crate::rules::vec2::Vec2::new(p.x, p.y);
        (!self.is_open(v(from), v(to))).then_some(RayHit { at: to, part: 1.0, shape: 0 })
    }
    pub fn within3(&self, at: Vec3, r: f64) -> Vec3 {
        Vec3::from(self.within(crate::rules::vec2::Vec2::new(at.x, at.y), r))
    }
}
