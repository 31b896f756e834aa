//! Tests of `url_state`.

pub(crate) mod address_history;
pub(crate) mod any_link;
pub(crate) mod decimals;
pub(crate) mod figure_groups;
pub(crate) mod link_history;
pub(crate) mod link_sections;
pub(crate) mod model_lists;
pub(crate) mod old_links;
pub(crate) mod page_title;
pub(crate) mod parse_warnings;
pub(crate) mod slider_scale;
pub(crate) mod starting_length;
