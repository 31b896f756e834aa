//! Constants of the waves view.

use super::{Choices, Literal};
use crate::{analysis::ColumnChoice, math::GroupCount, url_state::PathView};

pub(super) const CONSTANTS: &[(&str, &str)] = &[
    ("COLUMNS", "columns of the table, from 0"),
    ("COMPONENTS", "axes of the path, from 1"),
    ("SHIFT", "tokens by which the head attends further"),
    ("GROUPS", "number of groups"),
    ("SEED", "seed of random numbers"),
];

impl Choices {
    pub(super) fn waves_constant(&self, name: &str) -> Option<String> {
        let waves = &self.link.waves;
        Some(match name {
            "COLUMNS" => match &waves.columns {
                ColumnChoice::Strongest(_) => "strongest".literal(),
                ColumnChoice::These(columns) => columns.literal(),
                ColumnChoice::Random(..) => self.drawn_columns().literal(),
            },
            "COMPONENTS" => match waves.path {
                PathView::Plane(across, down) => vec![across + 1, down + 1].literal(),
                PathView::Space => vec![1, 2, 3].literal(),
            },
            "SHIFT" => waves.shift.literal(),
            "GROUPS" => match waves.groups {
                GroupCount::BySilhouette => "best".literal(),
                GroupCount::Chosen(count) => count.literal(),
            },
            "SEED" => waves.seed.literal(),
            _ => return None,
        })
    }

    /// The columns that the figure shows: in the names of its table's columns, `dimension_17`, or in the column
    /// `dimension`.
    fn drawn_columns(&self) -> Vec<usize> {
        let name = |name: &str| {
            name.strip_prefix("dimension_")?
                .split('_')
                .next()?
                .parse()
                .ok()
        };
        let listed = self.table.column("dimension");
        let cells = (0..self.table.rows()).filter_map(|row| listed?.number(row));
        let numbers = self
            .table
            .names()
            .filter_map(name)
            .chain(cells.map(|cell| cell as usize));
        let mut columns = Vec::new();
        for number in numbers {
            if !columns.contains(&number) {
                columns.push(number);
            }
        }
        columns
    }
}
