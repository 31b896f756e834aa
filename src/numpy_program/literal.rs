//! Values as Python literals.

use crate::{analysis::KernelFit, encoding::Kernels, numpy_model::string_literal};

/// A value that a program has as a constant.
pub trait Literal {
    /// The value as a Python expression.
    fn literal(&self) -> String;
}

impl Literal for bool {
    fn literal(&self) -> String {
        if *self { "True" } else { "False" }.to_owned()
    }
}

impl Literal for f64 {
    fn literal(&self) -> String {
        match self {
            number if number.is_finite() => format!("{number:?}"),
            number if number.is_nan() => "math.nan".to_owned(),
            number if *number > 0.0 => "math.inf".to_owned(),
            _ => "-math.inf".to_owned(),
        }
    }
}

/// Declares integers as literals.
macro_rules! integers {
    ($($integer:ty),+) => {
        $(impl Literal for $integer {
            fn literal(&self) -> String {
                self.to_string()
            }
        })+
    };
}

integers!(u8, u32, u64, usize, i32, i64);

impl Literal for str {
    fn literal(&self) -> String {
        string_literal(self)
    }
}

impl Literal for String {
    fn literal(&self) -> String {
        string_literal(self)
    }
}

impl<T: Literal + ?Sized> Literal for &T {
    fn literal(&self) -> String {
        (**self).literal()
    }
}

impl<T: Literal> Literal for Option<T> {
    fn literal(&self) -> String {
        self.as_ref()
            .map_or_else(|| "None".to_owned(), Literal::literal)
    }
}

impl<T: Literal> Literal for [T] {
    fn literal(&self) -> String {
        let items: Vec<String> = self.iter().map(Literal::literal).collect();
        format!("[{}]", items.join(", "))
    }
}

impl<T: Literal> Literal for Vec<T> {
    fn literal(&self) -> String {
        self.as_slice().literal()
    }
}

/// Declares tuples as literals.
macro_rules! tuples {
    ($(($($name:ident),+)),+) => {
        $(impl<$($name: Literal),+> Literal for ($($name,)+) {
            fn literal(&self) -> String {
                #[expect(non_snake_case, reason = "named after the types")]
                let ($($name,)+) = self;
                format!("({})", [$($name.literal()),+].join(", "))
            }
        })+
    };
}

tuples!((A, B), (A, B, C), (A, B, C, D), (A, B, C, D, E));

/// Kernels as a list of (a, b, c).
impl Literal for Kernels {
    fn literal(&self) -> String {
        let numbers = self.0.iter().map(|kernel| (kernel.a, kernel.b, kernel.c));
        numbers.collect::<Vec<_>>().literal()
    }
}

/// Layer and head from 0, R² that was given up, intercept, and kernels.
impl Literal for KernelFit {
    fn literal(&self) -> String {
        (
            self.layer,
            self.head,
            self.given_up,
            self.intercept,
            &self.kernels,
        )
            .literal()
    }
}

/// A dictionary literal.
#[must_use]
pub fn dict_literal<K: Literal, V: Literal>(entries: impl IntoIterator<Item = (K, V)>) -> String {
    let entries = entries.into_iter();
    let entries: Vec<String> = entries
        .map(|(key, value)| format!("{}: {}", key.literal(), value.literal()))
        .collect();
    format!("{{{}}}", entries.join(", "))
}
