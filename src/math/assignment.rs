//! Assignment of the columns of one table to those of another with the greatest sum of gains.
//!
//! Shortest augmenting paths with potentials (the Hungarian method in the form of Jonker & Volgenant 1987), one row at
//! a time, O(d³) at worst. Exact up to rounding in the last bits; among equally good assignments the choice is
//! deterministic.

use ndarray::Array2;

/// Incremental assignment. Rows are added one by one, so a caller can stop or report progress in between.
#[derive(Debug, Clone)]
pub struct Assignment {
    gains: Array2<f64>,
    /// Potentials of rows and of columns, counted from 1; column 0 is a virtual start of the search.
    rows: Vec<f64>,
    columns: Vec<f64>,
    /// The row, counted from 1, assigned to each column; 0 if the column is free.
    holder: Vec<usize>,
    next: usize,
}

impl Assignment {
    /// Starts an assignment for a square matrix of finite gains.
    ///
    /// # Panics
    /// If the matrix is not square.
    #[must_use]
    pub fn new(gains: Array2<f64>) -> Self {
        assert!(gains.is_square(), "as many rows as columns");
        let places = gains.nrows() + 1;
        Self {
            gains,
            rows: vec![0.0; places],
            columns: vec![0.0; places],
            holder: vec![0; places],
            next: 1,
        }
    }

    /// Assigns columns to the next `rows` rows. Returns whether rows are left.
    pub fn step(&mut self, rows: usize) -> bool {
        let until = (self.next + rows).min(self.gains.nrows() + 1);
        for row in self.next..until {
            self.add(row);
        }
        self.next = until;
        until <= self.gains.nrows()
    }

    /// Assigns the remaining rows. Returns the column of each row and the sum of the gains.
    #[must_use]
    pub fn finish(mut self) -> (Vec<usize>, f64) {
        self.step(self.gains.nrows());
        let mut column_of = vec![0; self.gains.nrows()];
        for (column, &row) in self.holder.iter().enumerate().skip(1) {
            column_of[row - 1] = column - 1;
        }
        let sum = column_of
            .iter()
            .enumerate()
            .map(|(row, &column)| self.gains[[row, column]])
            .sum();
        (column_of, sum)
    }

    /// Finds the cheapest augmenting path from a new row to a free column, and reassigns the columns along it.
    fn add(&mut self, row: usize) {
        let places = self.holder.len();
        let mut cheapest = vec![f64::INFINITY; places];
        let mut came_from = vec![0; places];
        let mut is_done = vec![false; places];
        self.holder[0] = row;
        let mut at = 0;
        while self.holder[at] != 0 {
            is_done[at] = true;
            let row = self.holder[at];
            let (mut least, mut best) = (f64::INFINITY, 0);
            let gains = self.gains.row(row - 1);
            for column in 1..places {
                if is_done[column] {
                    continue;
                }
                let cost = -gains[column - 1] - self.rows[row] - self.columns[column];
                if cost < cheapest[column] {
                    cheapest[column] = cost;
                    came_from[column] = at;
                }
                if cheapest[column] < least {
                    (least, best) = (cheapest[column], column);
                }
            }
            for column in 0..places {
                if is_done[column] {
                    self.rows[self.holder[column]] += least;
                    self.columns[column] -= least;
                } else {
                    cheapest[column] -= least;
                }
            }
            at = best;
        }
        while at != 0 {
            let before = came_from[at];
            self.holder[at] = self.holder[before];
            at = before;
        }
    }
}
