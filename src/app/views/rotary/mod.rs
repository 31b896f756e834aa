//! Figures of rotary models, in a part of their own.

mod angles;
mod findings;
mod frequencies;

use crate::app::lazy::lazy_view;

lazy_view! {
    /// The angles of every layer.
    pub(super) const ROTARY_ANGLES = angles::AnglesCard in rotary;
}

lazy_view! {
    /// The wavelengths that heads use.
    pub(super) const FREQUENCIES = frequencies::FrequencyFigure in rotary;
}

lazy_view! {
    /// Findings about the configuration.
    pub(super) const FINDINGS = findings::FindingList in rotary;
}
