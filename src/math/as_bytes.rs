//! Serialises `f32` slices and matrices as raw bytes, for messages between workers. A matrix also stores its shape and
//! its memory order.
//!
//! Use as `#[serde(with = "as_bytes")]` in formats that lend bytes, such as postcard. ndarray's own serialisation
//! writes one number at a time.

use ndarray::{Array2, ArrayBase, Data, Ix2};
use serde::{Deserialize, Deserializer, Serialize, Serializer, de::Error};
use serde_bytes::Bytes;

pub(crate) fn serialize<A: Data<Elem = f32>, S: Serializer>(
    matrix: &ArrayBase<A, Ix2>,
    serializer: S,
) -> Result<S::Ok, S::Error> {
    // A column-major matrix is sent as the rows of its transpose.
    let by_columns = !matrix.is_standard_layout() && matrix.t().is_standard_layout();
    let rows = if by_columns {
        matrix.t()
    } else {
        matrix.view()
    };
    let rows = rows.as_standard_layout();
    let numbers = rows.as_slice().unwrap_or_default();
    let bytes = Bytes::new(bytemuck::cast_slice(numbers));
    (by_columns, rows.dim(), bytes).serialize(serializer)
}

pub(crate) fn deserialize<'de, A: From<Array2<f32>>, D: Deserializer<'de>>(
    deserializer: D,
) -> Result<A, D::Error> {
    let (by_columns, shape, bytes) = <(bool, (usize, usize), &Bytes)>::deserialize(deserializer)?;
    let numbers = bytemuck::pod_collect_to_vec(bytes);
    let rows = Array2::from_shape_vec(shape, numbers).map_err(D::Error::custom)?;
    let matrix = if by_columns {
        rows.reversed_axes()
    } else {
        rows
    };
    Ok(matrix.into())
}

/// For `Vec<f32>`. Formats of text (JSON) have a list of numbers.
pub(crate) mod numbers {
    use super::{Bytes, Deserialize, Deserializer, Serialize, Serializer};

    pub(crate) fn serialize<S: Serializer>(
        numbers: &[f32],
        serializer: S,
    ) -> Result<S::Ok, S::Error> {
        if serializer.is_human_readable() {
            return numbers.serialize(serializer);
        }
        Bytes::new(bytemuck::cast_slice(numbers)).serialize(serializer)
    }

    pub(crate) fn deserialize<'de, D: Deserializer<'de>>(
        deserializer: D,
    ) -> Result<Vec<f32>, D::Error> {
        if deserializer.is_human_readable() {
            return Vec::deserialize(deserializer);
        }
        let bytes = <&Bytes>::deserialize(deserializer)?;
        Ok(bytemuck::pod_collect_to_vec(bytes))
    }
}

/// For an optional matrix.
pub(crate) mod option {
    use super::{Deserialize, Deserializer, Serialize, Serializer};
    use ndarray::ArcArray2;

    #[derive(Serialize, Deserialize)]
    struct There(#[serde(with = "super")] ArcArray2<f32>);

    pub(crate) fn serialize<S: Serializer>(
        matrix: &Option<ArcArray2<f32>>,
        serializer: S,
    ) -> Result<S::Ok, S::Error> {
        matrix.clone().map(There).serialize(serializer)
    }

    pub(crate) fn deserialize<'de, D: Deserializer<'de>>(
        deserializer: D,
    ) -> Result<Option<ArcArray2<f32>>, D::Error> {
        Ok(Option::<There>::deserialize(deserializer)?.map(|There(matrix)| matrix))
    }
}

#[cfg(test)]
mod tests {
    use ndarray::{Array2, s};
    use serde::{Deserialize, Serialize};

    #[derive(Serialize, Deserialize)]
    struct SentMatrix(#[serde(with = "super")] Array2<f32>);

    #[derive(Serialize, Deserialize)]
    struct SentRow(#[serde(with = "super::numbers")] Vec<f32>);

    #[test]
    fn a_row_comes_as_it_was_sent() {
        for row in [vec![], vec![1.5, -0.0, f32::INFINITY]] {
            // Prefixes of different lengths, so the bytes begin at any alignment.
            for before in ["", "a", "ab"] {
                let labelled_row = (before, SentRow(row.clone()));
                let bytes = postcard::to_allocvec(&labelled_row).expect("it encodes");
                let (_, SentRow(found)): (&str, SentRow) =
                    postcard::from_bytes(&bytes).expect("it is one");
                assert_eq!(found, row);
            }
        }
    }

    #[test]
    fn a_matrix_comes_as_it_was_sent_and_lies_as_it_lay() {
        let table = Array2::from_shape_fn((5, 3), |(i, j)| (10 * i + j) as f32);
        let part = table.slice(s![..;2, 1..]).to_owned();
        let none = Array2::zeros((0, 3));
        for matrix in [table.clone(), table.reversed_axes(), part, none] {
            let bytes = postcard::to_allocvec(&SentMatrix(matrix.clone())).expect("it encodes");
            let SentMatrix(found) = postcard::from_bytes(&bytes).expect("it is one");
            assert_eq!(found, matrix);
            assert_eq!(found.strides(), matrix.strides());
        }
    }
}
