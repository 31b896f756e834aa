//! Heads of the images view as CSV: `alpha,delta_y,delta_x`, `yy,yx,xx` for a full covariance, and `radius` for boxes.
//!
//! Columns may come in any order, and other columns are ignored. A row whose covariance is not isotropic is an oval
//! head, and one with a radius is a box.

use crate::{
    csv_rows::CsvRows,
    math::{Covariance, HeadShape, PixelHead},
    short_text::short_name,
};

/// Maximum number of heads that are read.
const MOST: usize = 81;

/// Whether text that begins like this is, or is meant to be, a table of heads.
#[must_use]
pub fn looks_like_heads(text: &str) -> bool {
    let header = CsvRows::new(text).next().unwrap_or_default();
    let names = header.iter().map(|field| field.trim());
    names
        .filter(|name| ["delta_y", "delta_x"].contains(name))
        .count()
        == 2
}

/// Parses the heads of a table.
///
/// # Errors
/// The problem, as a sentence that continues after a colon.
pub fn heads_of_csv(text: &str) -> Result<Vec<PixelHead>, String> {
    let mut rows = CsvRows::new(text);
    let header = rows.next().unwrap_or_default();
    let column = |name: &str| header.iter().position(|field| field.trim() == name);
    let needed = |name: &str| {
        column(name).ok_or_else(|| {
            format!("it has no column {name}. Columns are alpha, delta_y, delta_x, yy, yx, xx of oval heads, and radius of boxes.")
        })
    };
    let (alpha, y, x) = (needed("alpha")?, needed("delta_y")?, needed("delta_x")?);
    let radius = column("radius");
    let oval =
        (column("yy").zip(column("yx")).zip(column("xx"))).map(|((yy, yx), xx)| [yy, yx, xx]);
    let mut heads = Vec::new();
    for (at, row) in rows.enumerate() {
        if row.iter().all(|field| field.trim().is_empty()) {
            continue;
        }
        let number = |column: usize| {
            let field = row.get(column).map_or("", |field| field.trim());
            let value = field.parse::<f64>().ok().filter(|value| value.is_finite());
            value.ok_or_else(|| {
                format!(
                    "row {} has “{}” where a number belongs.",
                    at + 2,
                    short_name(field)
                )
            })
        };
        let centre = (number(y)?, number(x)?);
        let shape = match radius.map(number) {
            Some(Ok(radius)) if radius < 0.0 => {
                return Err(format!("row {} has a negative radius.", at + 2));
            }
            Some(Ok(radius)) => HeadShape::Box(radius),
            // A Gaussian head has no number in this column.
            Some(Err(_)) | None => {
                let alpha = number(alpha)?;
                if alpha < 0.0 {
                    return Err(format!("row {} has a negative alpha.", at + 2));
                }
                oval_shape(oval.map(|columns| columns.map(number)), at)?
                    .unwrap_or(HeadShape::Round(alpha))
            }
        };
        heads.push(PixelHead { centre, shape });
        if heads.len() > MOST {
            return Err(format!("it has more than {MOST} rows."));
        }
    }
    if heads.is_empty() {
        return Err("it has no rows.".to_owned());
    }
    Ok(heads)
}

/// The shape of a row with a covariance that is not isotropic, from the cells `yy`, `yx` and `xx`. A round head with α = 0
/// has an infinite covariance, which does not parse; it stays round.
fn oval_shape(
    cells: Option<[Result<f64, String>; 3]>,
    row: usize,
) -> Result<Option<HeadShape>, String> {
    let Some([Ok(yy), Ok(yx), Ok(xx)]) = cells else {
        return Ok(None);
    };
    let covariance = Covariance { yy, yx, xx };
    if !covariance.is_proper() {
        return Err(format!(
            "the covariance in row {} is not positive definite.",
            row + 2
        ));
    }
    Ok((yx != 0.0 || yy != xx).then_some(HeadShape::Oval(covariance)))
}
