//! The frame of the page: header, footer, messages, theme, address, and the parts that are loaded on demand.

pub(in crate::app) mod address;
pub(in crate::app) mod footer;
pub(in crate::app) mod framing;
pub(in crate::app) mod header_buttons;
pub(in crate::app) mod lazy_views;
pub(in crate::app) mod message;
pub(in crate::app) mod offline;
pub(in crate::app) mod page_title;
pub(in crate::app) mod panic;
pub(in crate::app) mod shown_view;
pub(in crate::app) mod splash;
pub(in crate::app) mod text_size;
pub(in crate::app) mod theme;
