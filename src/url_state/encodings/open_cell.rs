//! The open cell of the criteria table in a link.

use crate::{
    analysis::criteria::{CRITERION_IDS, WAY_IDS, parameters::criterion_parameters},
    url_state::codec::{Codec, number_within, take},
};

/// The open cell of the criteria table.
#[derive(Debug, Clone, PartialEq)]
pub struct OpenCell {
    /// Row and column.
    pub at: (usize, usize),
    /// Values of its sliders, each within the limits of its [`CriterionParameter`].
    ///
    /// [`CriterionParameter`]: crate::analysis::criteria::parameters::CriterionParameter
    pub values: Vec<f64>,
}

impl OpenCell {
    /// A cell with its sliders at their start values.
    #[must_use]
    pub fn new((way, criterion): (usize, usize)) -> Self {
        Self {
            at: (way, criterion),
            values: criterion_parameters(way, criterion)
                .iter()
                .map(|parameter| parameter.start)
                .collect(),
        }
    }
}

/// A cell of the criteria table: `tisa.inductive`, followed by its slider values if they differ from the start values:
/// `tisa.inductive:64:512`.
pub(super) struct CriteriaCell;

impl Codec<Option<OpenCell>> for CriteriaCell {
    fn read(&self, text: &str, into: &mut Option<OpenCell>) -> Result<(), String> {
        take(text, open_cell(text).map(Some), into)
    }

    fn write(&self, value: &Option<OpenCell>) -> Option<String> {
        let cell = value.as_ref()?;
        let mut text = cell_text(cell.at);
        if *cell != OpenCell::new(cell.at) {
            text.extend(cell.values.iter().map(|value| format!(":{value}")));
        }
        Some(text)
    }
}

fn open_cell(text: &str) -> Option<OpenCell> {
    let place = |ids: &[&str], id| ids.iter().position(|other| *other == id);
    let mut parts = text.split(':');
    let (way, criterion) = parts.next()?.split_once('.')?;
    let mut cell = OpenCell::new((place(&WAY_IDS, way)?, place(&CRITERION_IDS, criterion)?));
    let parameters = criterion_parameters(cell.at.0, cell.at.1);
    for (at, text) in parts.enumerate() {
        let parameter = parameters.get(at)?;
        cell.values[at] = parameter.near(number_within(text, parameter.low..=parameter.high)?);
    }
    Some(cell)
}

/// Returns the identifier of a criteria table cell (row, column) in links.
#[must_use]
pub fn cell_text((way, criterion): (usize, usize)) -> String {
    format!("{}.{}", WAY_IDS[way], CRITERION_IDS[criterion])
}
