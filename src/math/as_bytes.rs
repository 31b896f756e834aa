//! Matrices of numbers on their way between workers: their shape, and their numbers as the bytes they are.
//!
//! For `#[serde(with = "as_bytes")]`. The serialisation that ndarray has of its own takes numbers one by one.

use ndarray::Array2;
use serde::{Deserialize, Deserializer, Serialize, Serializer, de::Error};
use serde_bytes::{ByteBuf, Bytes};

pub(crate) fn serialize<S: Serializer>(
    matrix: &Array2<f32>,
    serializer: S,
) -> Result<S::Ok, S::Error> {
    let in_order = matrix.as_standard_layout();
    let numbers = in_order.as_slice().unwrap_or_default();
    (matrix.dim(), Bytes::new(bytemuck::cast_slice(numbers))).serialize(serializer)
}

pub(crate) fn deserialize<'de, D: Deserializer<'de>>(
    deserializer: D,
) -> Result<Array2<f32>, D::Error> {
    let (shape, bytes) = <((usize, usize), ByteBuf)>::deserialize(deserializer)?;
    let numbers = bytemuck::pod_collect_to_vec(&bytes);
    Array2::from_shape_vec(shape, numbers).map_err(D::Error::custom)
}

/// For a matrix that may not be there.
pub(crate) mod option {
    use super::{Array2, Deserialize, Deserializer, Serialize, Serializer};

    #[derive(Serialize, Deserialize)]
    struct There(#[serde(with = "super")] Array2<f32>);

    pub(crate) fn serialize<S: Serializer>(
        matrix: &Option<Array2<f32>>,
        serializer: S,
    ) -> Result<S::Ok, S::Error> {
        matrix.clone().map(There).serialize(serializer)
    }

    pub(crate) fn deserialize<'de, D: Deserializer<'de>>(
        deserializer: D,
    ) -> Result<Option<Array2<f32>>, D::Error> {
        Ok(Option::<There>::deserialize(deserializer)?.map(|There(matrix)| matrix))
    }
}
