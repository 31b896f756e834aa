//! Which column of one table belongs to which of another: the assignment of greatest sum.
//!
//! Shortest augmenting paths with potentials (the Hungarian method as Jonker & Volgenant 1987 cast it), a row at a
//! time, d³ at worst. Exact, up to rounding in the last bits; of several best ones it gives one, always the same.

use ndarray::Array2;

/// An assignment in the making; rows are added one by one, so that a caller can stop or report between them.
#[derive(Debug, Clone)]
pub struct Assignment {
    gains: Array2<f64>,
    /// Potentials of rows and of columns; column 0 stands for "none yet".
    rows: Vec<f64>,
    columns: Vec<f64>,
    /// The row, counted from 1, that holds each column; 0 for none.
    holder: Vec<usize>,
    next: usize,
}

impl Assignment {
    /// Rows and columns of a square matrix of finite gains.
    ///
    /// # Panics
    /// When it is not square.
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

    /// Gives so many rows more their columns; whether there are rows left.
    pub fn step(&mut self, rows: usize) -> bool {
        let until = (self.next + rows).min(self.gains.nrows() + 1);
        for row in self.next..until {
            self.add(row);
        }
        self.next = until;
        until <= self.gains.nrows()
    }

    /// The column of each row, and the sum of their gains.
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

    /// Finds the cheapest path from a new row to a column that nobody holds, and passes columns on along it.
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
