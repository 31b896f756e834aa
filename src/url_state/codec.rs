//! Codecs: how values are written in a link and parsed from it.

use super::{AMPLITUDES, CENTRES, SHARPNESSES};
use crate::{
    encoding::{Kernel, Kernels, MAX_KERNELS},
    math::Window,
};
use std::{fmt::Display, ops::RangeInclusive, str::FromStr};

/// Parses a value of a link and writes it.
pub(super) trait Codec<T> {
    /// Parses `text` into `into`.
    ///
    /// # Errors
    /// The part of the text that was not understood. Unless the text is a list, `into` is then unchanged.
    fn read(&self, text: &str, into: &mut T) -> Result<(), String>;

    /// Returns the text of a value, or `None` if links have no text for it, as for an option that was not chosen.
    fn write(&self, value: &T) -> Option<String>;
}

/// Stores a parsed value. If it is `None`, the whole text is the error.
pub(super) fn take<T>(text: &str, value: Option<T>, into: &mut T) -> Result<(), String> {
    *into = value.ok_or_else(|| text.to_owned())?;
    Ok(())
}

/// Parses a decimal number. Returns `None` for infinity, NaN and any other text.
///
/// The result equals that of [`str::parse`] to the last bit. `str::parse` uses a table of powers of five, 10 KB that
/// compress poorly, and this is the only code of the first paint that would need it. The compact algorithm of
/// `lexical_core` has no such table.
#[must_use]
pub fn finite_number(text: &str) -> Option<f64> {
    let number = lexical_core::parse(text.trim().as_bytes()).ok();
    number.filter(|number: &f64| number.is_finite())
}

/// Parses a decimal number within a range.
pub(super) fn number_within(text: &str, range: RangeInclusive<f64>) -> Option<f64> {
    finite_number(text).filter(|number| range.contains(number))
}

/// Parses an integer within a range.
pub(super) fn whole_within<T: FromStr + PartialOrd>(
    text: &str,
    range: RangeInclusive<T>,
) -> Option<T> {
    text.parse().ok().filter(|number| range.contains(number))
}

/// Splits a text at its colons into exactly `N` pieces.
pub(super) fn pieces<const N: usize>(text: &str) -> Option<[&str; N]> {
    let pieces: Vec<&str> = text.split(':').take(N + 1).collect();
    pieces.try_into().ok()
}

/// One of a few values, each written as its word.
pub(super) struct OneOf<T: 'static>(pub(super) &'static [(T, &'static str)]);

impl<T: Copy + PartialEq> Codec<T> for OneOf<T> {
    fn read(&self, text: &str, into: &mut T) -> Result<(), String> {
        let entry = self.0.iter().find(|(_, word)| *word == text);
        take(text, entry.map(|(value, _)| *value), into)
    }

    fn write(&self, value: &T) -> Option<String> {
        let entry = self.0.iter().find(|(other, _)| other == value);
        entry.map(|(_, word)| (*word).to_owned())
    }
}

/// One of a list of (value, identifier, display name), written as its identifier.
pub(super) struct OneOfNamed<T: 'static>(pub(super) &'static [(T, &'static str, &'static str)]);

impl<T: Copy + PartialEq> Codec<T> for OneOfNamed<T> {
    fn read(&self, text: &str, into: &mut T) -> Result<(), String> {
        let entry = self.0.iter().find(|(_, id, _)| *id == text);
        take(text, entry.map(|(value, ..)| *value), into)
    }

    fn write(&self, value: &T) -> Option<String> {
        let entry = self.0.iter().find(|(other, ..)| other == value);
        entry.map(|(_, id, _)| (*id).to_owned())
    }
}

/// An integer within a range.
pub(super) struct Whole<T>(pub(super) RangeInclusive<T>);

impl<T: FromStr + PartialOrd + Display + Clone> Codec<T> for Whole<T> {
    fn read(&self, text: &str, into: &mut T) -> Result<(), String> {
        take(text, whole_within(text, self.0.clone()), into)
    }

    fn write(&self, value: &T) -> Option<String> {
        Some(value.to_string())
    }
}

/// The greatest number of a layer or head that a link may name.
const MOST_NUMBERED: usize = 10_000;

/// The number of a layer or a head: counted from 1 in the link, from 0 in the program.
pub(super) struct FromOne;

impl Codec<usize> for FromOne {
    fn read(&self, text: &str, into: &mut usize) -> Result<(), String> {
        let number = whole_within(text, 1..=MOST_NUMBERED);
        take(text, number.map(|number| number - 1), into)
    }

    fn write(&self, value: &usize) -> Option<String> {
        Some((value + 1).to_string())
    }
}

/// A layer and a head of it, separated by a dot: `3.2`. Counted from 1 in the link, from 0 in the program.
pub(super) struct HeadFromOne;

impl Codec<(usize, usize)> for HeadFromOne {
    fn read(&self, text: &str, into: &mut (usize, usize)) -> Result<(), String> {
        let index = |text| whole_within(text, 1..=MOST_NUMBERED).map(|number: usize| number - 1);
        let head = text.split_once('.');
        let head = head.and_then(|(layer, head)| Some((index(layer)?, index(head)?)));
        take(text, head, into)
    }

    fn write(&self, (layer, head): &(usize, usize)) -> Option<String> {
        Some(format!("{}.{}", layer + 1, head + 1))
    }
}

/// A decimal number within a range.
pub(super) struct Decimal(pub(super) RangeInclusive<f64>);

impl Codec<f64> for Decimal {
    fn read(&self, text: &str, into: &mut f64) -> Result<(), String> {
        take(text, number_within(text, self.0.clone()), into)
    }

    fn write(&self, value: &f64) -> Option<String> {
        Some(value.to_string())
    }
}

/// Any text.
pub(super) struct AnyText;

impl Codec<String> for AnyText {
    fn read(&self, text: &str, into: &mut String) -> Result<(), String> {
        take(text, Some(text.to_owned()), into)
    }

    fn write(&self, value: &String) -> Option<String> {
        Some(value.clone())
    }
}

/// Any text of at most this many characters.
pub(super) struct ShortText(pub(super) usize);

impl Codec<String> for ShortText {
    fn read(&self, text: &str, into: &mut String) -> Result<(), String> {
        let is_short = text.chars().nth(self.0).is_none();
        take(text, is_short.then(|| text.to_owned()), into)
    }

    fn write(&self, value: &String) -> Option<String> {
        Some(value.clone())
    }
}

/// `true` if the key is present, with no text after it.
pub(super) struct Flag;

impl Codec<bool> for Flag {
    fn read(&self, text: &str, into: &mut bool) -> Result<(), String> {
        take(text, text.is_empty().then_some(true), into)
    }

    fn write(&self, value: &bool) -> Option<String> {
        value.then(String::new)
    }
}

/// A value that is `None` if the link does not name its key.
pub(super) struct Maybe<C>(pub(super) C);

impl<T: Default, C: Codec<T>> Codec<Option<T>> for Maybe<C> {
    fn read(&self, text: &str, into: &mut Option<T>) -> Result<(), String> {
        let mut value = T::default();
        self.0.read(text, &mut value)?;
        *into = Some(value);
        Ok(())
    }

    fn write(&self, value: &Option<T>) -> Option<String> {
        self.0.write(value.as_ref()?)
    }
}

/// A pinned matrix cell, row and column: `3,4`.
pub(super) struct PinnedCell;

impl Codec<Option<(usize, usize)>> for PinnedCell {
    fn read(&self, text: &str, into: &mut Option<(usize, usize)>) -> Result<(), String> {
        let index = |text: &str| text.parse::<u32>().ok().map(|index| index as usize);
        let cell = text
            .split_once(',')
            .and_then(|(i, j)| Some((index(i)?, index(j)?)));
        take(text, cell.map(Some), into)
    }

    fn write(&self, value: &Option<(usize, usize)>) -> Option<String> {
        value.map(|(i, j)| format!("{i},{j}"))
    }
}

/// The rows and columns of the zoomed window as half-open ranges: `0-8,4-12`.
pub(super) struct ZoomedWindow;

impl Codec<Option<Window>> for ZoomedWindow {
    fn read(&self, text: &str, into: &mut Option<Window>) -> Result<(), String> {
        let range = |text: &str| {
            let (start, end) = text.split_once('-')?;
            let (start, end) = (start.parse::<u32>().ok()?, end.parse::<u32>().ok()?);
            (start < end).then_some(start as usize..end as usize)
        };
        let window = text.split_once(',').and_then(|(rows, cols)| {
            Some(Window {
                rows: range(rows)?,
                cols: range(cols)?,
            })
        });
        take(text, window.map(Some), into)
    }

    fn write(&self, value: &Option<Window>) -> Option<String> {
        let Window { rows, cols } = value.as_ref()?;
        Some(format!(
            "{}-{},{}-{}",
            rows.start, rows.end, cols.start, cols.end
        ))
    }
}

/// Kernels separated by semicolons, each `a:b:c`, followed by `:m` if it is muted. An empty text is an empty list.
pub(super) struct KernelList;

impl Codec<Kernels> for KernelList {
    fn read(&self, text: &str, into: &mut Kernels) -> Result<(), String> {
        take(text, kernels_of(text), into)
    }

    fn write(&self, value: &Kernels) -> Option<String> {
        let one = |kernel: &Kernel| {
            let mute = if kernel.is_muted { ":m" } else { "" };
            format!("{}:{}:{}{mute}", kernel.a, kernel.b, kernel.c)
        };
        Some(value.0.iter().map(one).collect::<Vec<_>>().join(";"))
    }
}

fn kernels_of(text: &str) -> Option<Kernels> {
    if text.is_empty() {
        return Some(Kernels::default());
    }
    let one = |text: &str| {
        let (numbers, muted) = match text.strip_suffix(":m") {
            Some(numbers) => (numbers, true),
            None => (text, false),
        };
        let [a, b, c] = pieces(numbers)?;
        Some(Kernel {
            a: number_within(a, AMPLITUDES)?,
            b: number_within(b, SHARPNESSES)?,
            c: number_within(c, CENTRES)?,
            is_muted: muted,
        })
    };
    let kernels: Vec<Kernel> = text
        .split(';')
        .take(MAX_KERNELS + 1)
        .map(one)
        .collect::<Option<_>>()?;
    (kernels.len() <= MAX_KERNELS).then_some(Kernels(kernels))
}
