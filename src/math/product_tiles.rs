//! A product A·Bᵀ in pieces that workers can form independently and that can be put together in any order.
//!
//! The pieces, and every bit of every cell, are the same wherever they are formed. For a Gram matrix A·Aᵀ only the
//! pieces on and below the diagonal are formed; the others are their mirror images.

use super::{
    blocks::{cut, rows_of},
    gram::{SQUARE, fill_below, gram, mirror, mirror_into},
    matrix_product::{product, product_into},
};
use ndarray::{ArcArray2, Array2, s};
use serde::{Deserialize, Serialize};
use std::ops::Range;

/// Maximum rows and columns of a piece. A product of this size takes ten milliseconds, several times as long as sending
/// its factors to another worker, and a matrix of 2048 rows has enough pieces to share.
const SIDE: usize = 512;

/// A product that is not yet formed.
#[derive(Debug)]
pub(crate) struct ProductTiles {
    /// A, row-major.
    left: ArcArray2<f32>,
    /// B; `None` for A·Aᵀ.
    right: Option<ArcArray2<f32>>,
}

/// Place of a piece in the product.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct TilePlace {
    rows: Range<usize>,
    cols: Range<usize>,
}

/// A piece that is not yet formed, with the rows it needs. A piece cut from a product shares its memory.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(crate) enum ProductTile {
    /// A·Aᵀ.
    Gram(#[serde(with = "super::as_bytes")] ArcArray2<f32>),
    /// A·Bᵀ.
    Product(
        #[serde(with = "super::as_bytes")] ArcArray2<f32>,
        #[serde(with = "super::as_bytes")] ArcArray2<f32>,
    ),
}

impl ProductTile {
    /// Forms the piece from row-major copies of its rows, the order in which they are sent. A column-major product
    /// would sum in another order and round differently.
    pub(crate) fn form(&self) -> Array2<f32> {
        match self {
            Self::Gram(a) => gram(a.as_standard_layout().view()),
            Self::Product(a, b) => product(
                a.as_standard_layout().view(),
                b.as_standard_layout().t(),
                1.0,
            ),
        }
    }
}

impl ProductTiles {
    /// For A·Bᵀ with A \[m, r\] and B \[n, r\], or A·Aᵀ if there is no B.
    pub(crate) fn new(left: ArcArray2<f32>, right: Option<ArcArray2<f32>>) -> Self {
        Self { left, right }
    }

    /// Rows and columns of the product.
    fn shape(&self) -> (usize, usize) {
        let right = self.right.as_ref().unwrap_or(&self.left);
        (self.left.nrows(), right.nrows())
    }

    /// Number of multiplications. For long tables it exceeds the 32 bits of a `usize` in WebAssembly.
    pub(crate) fn multiplications(&self) -> u64 {
        let (rows, cols) = self.shape();
        let all: u64 = [rows, cols, self.left.ncols()]
            .map(|n| n as u64)
            .iter()
            .product();
        if self.right.is_some() { all } else { all / 2 }
    }

    /// Places of all pieces, which are about equal in size. Those on the diagonal of a Gram matrix take half as long
    /// and come last, so that the last piece finishes soon.
    pub(crate) fn places(&self) -> Vec<TilePlace> {
        let (rows, cols) = self.shape();
        let even = |n: usize| {
            let count = n.div_ceil(SIDE).max(1);
            // Each diagonal square, which is formed in full, must lie within one piece.
            cut(&(0..n), n.div_ceil(count).next_multiple_of(SQUARE).max(1))
        };
        let all = even(rows).into_iter().flat_map(|rows| {
            let cols = even(cols).into_iter();
            cols.map(move |cols| TilePlace {
                rows: rows.clone(),
                cols,
            })
        });
        if self.right.is_some() {
            return all.collect();
        }
        let (squares, others): (Vec<_>, Vec<_>) = all
            .filter(|place| place.cols.start <= place.rows.start)
            .partition(|place| place.cols == place.rows);
        others.into_iter().chain(squares).collect()
    }

    /// The piece at a place.
    pub(crate) fn at(&self, place: &TilePlace) -> ProductTile {
        let a = rows_of(&self.left, &place.rows);
        match &self.right {
            Some(right) => ProductTile::Product(a, rows_of(right, &place.cols)),
            None if place.rows == place.cols => ProductTile::Gram(a),
            None => ProductTile::Product(a, rows_of(&self.left, &place.cols)),
        }
    }

    /// Forms the product on this worker.
    pub(crate) fn form(&self) -> Array2<f32> {
        let (m, n) = self.shape();
        let mut cells = vec![0.0; m * n];
        for place in self.places() {
            let cells = &mut cells[place.rows.start * n + place.cols.start..];
            match self.at(&place) {
                ProductTile::Gram(a) => fill_below(a.view(), cells, n, 0.0),
                ProductTile::Product(a, b) => product_into(cells, n, a.view(), b.t(), 1.0, 0.0),
            }
        }
        let mut cells = Array2::from_shape_vec((m, n), cells).expect("m rows of n cells");
        if self.right.is_none() {
            mirror(&mut cells);
        }
        cells
    }

    /// Zeroed cells for [`Self::put`] to fill.
    pub(crate) fn cells(&self) -> Array2<f32> {
        Array2::zeros(self.shape())
    }

    /// Writes a piece to its place, and to the mirrored place for a Gram matrix.
    pub(crate) fn put(&self, cells: &mut Array2<f32>, place: &TilePlace, piece: &Array2<f32>) {
        let TilePlace { rows, cols } = place.clone();
        if self.right.is_none() && rows != cols {
            let image = cells.slice_mut(s![cols.clone(), rows.clone()]);
            mirror_into(image, piece.view());
        }
        cells.slice_mut(s![rows, cols]).assign(piece);
    }
}

#[cfg(test)]
mod tests {
    use super::ProductTiles;
    use ndarray::{ArcArray2, Array2};

    /// Numbers between −1 and 1 without a pattern.
    fn table(rows: usize, columns: usize) -> ArcArray2<f32> {
        let cell = |(i, j)| ((31 * i + 17 * j * j) as f32).sin();
        Array2::from_shape_fn((rows, columns), cell).into()
    }

    fn holds(a: &ArcArray2<f32>, b: Option<&ArcArray2<f32>>, count: usize) {
        let pieces = ProductTiles::new(a.clone(), b.cloned());
        let places = pieces.places();
        assert_eq!(places.len(), count);
        let formed = pieces.form();
        let mut cells = pieces.cells();
        for place in places.iter().rev() {
            pieces.put(&mut cells, place, &pieces.at(place).form());
        }
        assert_eq!(cells, formed, "to the last bit, in any order");
        let plain = a.dot(&b.unwrap_or(a).t());
        assert_eq!(formed.dim(), plain.dim());
        let apart = (&formed - &plain).mapv(f32::abs);
        let near = 1e-6 * a.ncols() as f32;
        assert!(apart.iter().all(|apart| *apart < near));
    }

    #[test]
    fn pieces_make_the_product_wherever_they_are_formed() {
        for (n, count) in [(0, 0), (1, 1), (100, 1), (512, 1), (513, 3), (1025, 6)] {
            holds(&table(n, 9), None, count);
        }
        let (a, b) = (table(1300, 9), table(700, 9));
        holds(&a, Some(&b), 6);
        holds(&b, Some(&a), 6);
        holds(&b, Some(&b), 4);
        // Files may store tables column by column.
        let (a, b) = (table(900, 1300), table(900, 700));
        let (a, b) = (a.reversed_axes(), b.reversed_axes());
        holds(&a, None, 6);
        holds(&a, Some(&b), 6);
    }
}
