//! Formulas in pieces: terms that stand for pictures, and the parts between them.

use super::formulas::Formula;
use crate::figure::FormulaTerm;

/// Begin of a term in the source of a formula.
const BEGIN: &str = "<math data-term=\"";
/// End of a term.
const END: &str = "</math>";

/// A piece of a formula.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct FormulaPiece {
    /// The piece as MathML source. White space at its ends is where lines break.
    pub source: &'static str,
    /// The term that it is, if it stands for a picture.
    pub term: Option<FormulaTerm>,
}

impl Formula {
    /// Returns the pieces, in order. Together they are the source.
    #[must_use]
    pub fn pieces(self) -> Vec<FormulaPiece> {
        let mut pieces = Vec::new();
        let mut rest = self.0;
        while let Some(at) = rest.find(BEGIN) {
            let (before, from_term) = rest.split_at(at);
            let end = from_term.find(END);
            let end = end.map_or(from_term.len(), |end| end + END.len());
            let (source, after) = from_term.split_at(end);
            let key = source[BEGIN.len()..].split('"').next().unwrap_or_default();
            pieces.push(FormulaPiece {
                source: before,
                term: None,
            });
            pieces.push(FormulaPiece {
                source,
                term: FormulaTerm::from_key(key),
            });
            rest = after;
        }
        pieces.push(FormulaPiece {
            source: rest,
            term: None,
        });
        pieces.retain(|piece| !piece.source.is_empty());
        pieces
    }
}
