//! lobby
