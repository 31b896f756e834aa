//! Pictures that leave the page: for papers, slides and whoever finds the file years later.
//!
//! On the page a figure stands under its heading, beside its controls, on paper that may be dark, as wide as there is
//! room. A saved picture has none of that around it. [`Sheet`] puts a figure on a sheet as wide as a column or a page
//! of a paper, with a heading, with the names of its axes and of what its colours mean ([`FigureLabels`]), and without what is
//! selected on the page: neither the cursor, pinned or not, nor the frame of the open head, nor grips to pull at. Who
//! wants an offset marked marks it in the paper; the link in the file has it.
//!
//! Texts become outlines of one font ([`TextOutlines`]), in SVG and PNG alike. The programs that take SVG into a paper
//! (Inkscape, librsvg, `CairoSVG`) ignore fonts that are embedded in it and put their own in their place, which is wider
//! or narrower and lacks other signs. What is written stays readable for machines: every text stands as the label of
//! its shapes, and the description has the figure's summary.
//!
//! [`Provenance`] says where a picture comes from, in the metadata of both formats.

mod figure_labels;
mod file_details;
mod file_name;
mod numbers;
mod page_layout;
mod png;
mod provenance;
mod svg;
mod text_outlines;

pub use figure_labels::{FigureLabels, LabelScope, Shown, about};
pub use file_details::{FileSubject, file_details};
pub use file_name::{file_name, schemes_drawn};
pub use numbers::{FileNumbers, file_numbers};
pub use page_layout::{Background, Heading, Sheet, SheetWidth};
pub use png::with_metadata;
pub use provenance::Provenance;
pub use svg::document;
pub use text_outlines::{Placed, TextOutlines};
