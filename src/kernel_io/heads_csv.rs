//! Heads with a quadratic encoding as CSV: `alpha,delta_y,delta_x`, and `yy,yx,xx` of a full covariance.
//!
//! Columns may come in any order and others stand among them. A row whose covariance is not that of a round head of its
//! α is an oval one.

use super::csv::Records;
use crate::{
    math::{Covariance, QuadraticHead, Width},
    short_text::short_name,
};

/// The most heads that are read.
const MOST: usize = 81;

/// Whether a text that begins so is a table of heads, or meant to be one.
#[must_use]
pub fn looks_like_heads(text: &str) -> bool {
    let header = Records::new(text).next().unwrap_or_default();
    let names = header.iter().map(|field| field.trim());
    names
        .filter(|name| ["delta_y", "delta_x"].contains(name))
        .count()
        == 2
}

/// The heads of a table.
///
/// # Errors
/// What of it cannot be read, in a sentence that goes on after a colon.
pub fn heads_of_csv(text: &str) -> Result<Vec<QuadraticHead>, String> {
    let mut rows = Records::new(text);
    let header = rows.next().unwrap_or_default();
    let column = |name: &str| header.iter().position(|field| field.trim() == name);
    let needed = |name: &str| {
        column(name).ok_or_else(|| {
            format!("it has no column {name}. Columns are alpha, delta_y, delta_x, and yy, yx, xx of oval heads.")
        })
    };
    let (alpha, y, x) = (needed("alpha")?, needed("delta_y")?, needed("delta_x")?);
    let oval = column("yy").zip(column("yx")).zip(column("xx"));
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
        let alpha = number(alpha)?;
        if alpha < 0.0 {
            return Err(format!("row {} has a negative alpha.", at + 2));
        }
        let mut width = Width::Round(alpha);
        if let Some(((yy, yx), xx)) = oval {
            // A round head that looks everywhere alike has an infinite covariance.
            if let (Ok(yy), Ok(yx), Ok(xx)) = (number(yy), number(yx), number(xx)) {
                let covariance = Covariance { yy, yx, xx };
                if !covariance.is_proper() {
                    return Err(format!(
                        "the covariance in row {} is not positive definite.",
                        at + 2
                    ));
                }
                if yx != 0.0 || yy != xx {
                    width = Width::Oval(covariance);
                }
            }
        }
        heads.push(QuadraticHead { centre, width });
        if heads.len() > MOST {
            return Err(format!("it has more than {MOST} rows."));
        }
    }
    if heads.is_empty() {
        return Err("it has no rows.".to_owned());
    }
    Ok(heads)
}
