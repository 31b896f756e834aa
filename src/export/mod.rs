//! Export of figures as pictures, for papers, slides and archives.
//!
//! On the page a figure is below its heading, next to its controls, possibly on a dark background, and as wide as the
//! window allows. A saved picture has none of that around it. [`Sheet`] sets a figure at the width of a column or a
//! page of a paper, with a heading, axis names and a key to its colours ([`FigureLabels`]). It omits the selection: the
//! cursor, the frame of the open head, and drag handles. The cursor is not exported; the link in the metadata restores
//! it.
//!
//! Text is converted to outlines of one font ([`TextOutlines`]), in SVG and PNG alike. The programs that put SVG into a
//! paper (Inkscape, librsvg, `CairoSVG`) ignore embedded fonts and substitute their own, with other widths and missing
//! characters. The text stays machine-readable: each text is the label of its shapes, and the description contains the
//! figure's summary.
//!
//! [`Provenance`] records the origin of a picture in the metadata of both formats.

mod column_setter;
mod figure_labels;
mod file_details;
mod file_name;
mod page_layout;
mod panel_sheet;
mod png;
mod provenance;
mod svg;
mod text_outlines;

pub use crate::figure::panel_letter;
pub use figure_labels::{FigureLabels, LabelContext};
pub use file_details::{FileSubject, file_details};
pub use file_name::{file_name, schemes_drawn};
pub use page_layout::{Background, Heading, Sheet, SheetWidth};
pub use panel_sheet::{MOST_COLUMNS, MOST_PANELS, PanelSheet, SheetPanel};
pub use png::with_metadata;
pub use provenance::Provenance;
pub use svg::document;
pub use text_outlines::{TextOutlines, TextPlacement};
