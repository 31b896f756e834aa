//! The table of criteria, one file per part; here is what the files share.

mod demonstrations;
mod marks;
mod parameters;
mod small_head;

use diagonal::{
    analysis::criteria::{
        CRITERIA, Criterion, EncodingMethod, WAYS,
        demonstrations::{DemonstrationState, Outcome, Quantity, demonstrate},
    },
    encoding::Kernels,
    url_state::default_kernels,
};

fn around(kernels: &Kernels) -> DemonstrationState<'_> {
    DemonstrationState {
        kernels,
        table_r2: None,
        head_r2: None,
    }
}

fn cells() -> impl Iterator<Item = (usize, usize)> {
    (0..WAYS.len()).flat_map(|way| (0..CRITERIA.len()).map(move |criterion| (way, criterion)))
}

fn at_first(way: usize, criterion: usize) -> Outcome {
    demonstrate(way, criterion, &[], &around(&default_kernels())).expect("a demonstration")
}

/// Index of the cell of an encoding method and a criterion.
fn cell(way: EncodingMethod, criterion: Criterion) -> (usize, usize) {
    let row = WAYS.iter().position(|(w, ..)| *w == way);
    let column = CRITERIA.iter().position(|(c, ..)| *c == criterion);
    (row.expect("a row"), column.expect("a column"))
}

fn shown(way: EncodingMethod, criterion: Criterion, values: &[f64], name: &str) -> f64 {
    let (row, column) = cell(way, criterion);
    let outcome = demonstrate(row, column, values, &around(&default_kernels())).expect("one");
    let found = outcome.quantity(name);
    match found.unwrap_or_else(|| panic!("{way:?} has no {name}: {outcome:?}")) {
        Quantity::Count(count) => count as f64,
        Quantity::Share(value) | Quantity::Number(value) => value,
    }
}
