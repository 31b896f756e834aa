//! The frame of the page: header, footer, dialogs, address, title, splash screen, and the view in the middle.

pub(super) mod address;
pub(super) mod brand;
pub(super) mod current_view;
pub(super) mod footer;
pub(super) mod header_buttons;
pub(super) mod page_title;
pub(super) mod panic;
mod reference;
pub(super) mod splash;
