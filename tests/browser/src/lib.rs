//! Driving real browsers.
