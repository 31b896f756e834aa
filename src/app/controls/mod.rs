//! Buttons, choices, number fields and sliders, and the state of a drag.

pub(in crate::app) mod buttons;
pub(in crate::app) mod download;
pub(in crate::app) mod drag;
pub(in crate::app) mod focus;
pub(in crate::app) mod meter;
pub(in crate::app) mod mounted;
pub(in crate::app) mod number;
