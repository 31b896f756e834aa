//! Buttons, choices, number fields and sliders, and the state of a drag.

pub(super) mod offline;

pub(super) mod buttons;
pub(super) mod download;
pub(super) mod drag;
pub(super) mod focus;
pub(super) mod keys;
pub(super) mod meter;
pub(super) mod number;
pub(super) mod while_mounted;
