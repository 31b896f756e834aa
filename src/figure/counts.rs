//! Positional parameters of a model and of the paper's models, as bars.

use super::{Bar, BarChart, BarRow, Column, Table, group_thousands};
use crate::analysis::parameter_count::{
    COUNT_METHODS, CountMethod, ModelSize, TABLE_2_METHODS, TABLE_2_MODELS, count_method,
};

/// Plots the positional parameters of a model of this size by method. Counts range from zero to billions, so the axis
/// is logarithmic. The table also has those of the paper's Table 2, below:
/// `model,method,formula,parameters,kernels,positions,width,layers,heads`.
#[must_use]
pub fn parameter_counts(model: &str, size: &ModelSize) -> BarChart {
    let rows = COUNT_METHODS.iter().enumerate().map(|(at, method)| {
        BarRow::new(method.name, [Bar::count(method.count(size))])
            .note(method.formula)
            .strong(at == 0)
    });
    let phrases = COUNT_METHODS
        .iter()
        .take(3)
        .map(|method| format!("{} {}", method.name, group_thousands(method.count(size))));
    let phrases: Vec<String> = phrases.collect();
    BarChart::log(rows)
        .with_table(table(model, size))
        .with_summary(format!(
            "Learned numbers for positions of {model}: {}.",
            phrases.join(", ")
        ))
}

fn table(model: &str, size: &ModelSize) -> Table {
    let own = COUNT_METHODS.iter().map(|method| (model, method, size));
    let published = TABLE_2_MODELS.iter().flat_map(|(model, size)| {
        let methods = TABLE_2_METHODS.iter().filter_map(|id| count_method(id));
        methods.map(move |method| (*model, method, size))
    });
    let rows: Vec<(&str, &CountMethod, &ModelSize)> = own.chain(published).collect();
    let part = |part: usize| -> Column {
        let parts = rows.iter().map(|(.., size)| size.parts()[part] as i64);
        parts.collect()
    };
    let counts = rows.iter().map(|(_, method, size)| method.count(size));
    Table::new()
        .with("model", rows.iter().map(|(model, ..)| *model).collect())
        .with("method", rows.iter().map(|(_, m, _)| m.id).collect())
        .with("formula", rows.iter().map(|(_, m, _)| m.formula).collect())
        .with("parameters", counts.map(|count| count as i64).collect())
        .with("kernels", part(0))
        .with("positions", part(1))
        .with("width", part(2))
        .with("layers", part(3))
        .with("heads", part(4))
}
