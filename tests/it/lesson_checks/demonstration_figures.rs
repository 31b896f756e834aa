//! Figures of demonstrations in lessons: planted waves, and how continuous a table is.

use crate::support::questions::{FIRST, ask};
use diagonal::{
    analysis::{MemorySession, TableContinuity},
    figure::{Figure, lipschitz_cone, planted_waves},
    url_state::Link,
};

/// A figure in a state of the preset; `None` for figures that are not computed here.
pub(super) fn figure(
    session: &MemorySession,
    figure: &str,
    link: &Link,
) -> Option<Box<dyn Figure>> {
    Some(match figure {
        "lipschitz-cone" => {
            let cones = ask(session, TableContinuity { of: FIRST }).expect("an answer");
            Box::new(lipschitz_cone(&cones.expect("a table"), true))
        }
        "planted-waves" => Box::new(planted_waves(&link.encodings.planted_waves.waves())),
        _ => return None,
    })
}
