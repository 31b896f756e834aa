//! Figures of rotary models, in a part of their own.

mod frequencies;

use crate::app::lazy::lazy_view;

lazy_view! {
    /// The wavelengths that heads use.
    pub(super) const FREQUENCIES = frequencies::FrequencyFigure in rotary;
}
