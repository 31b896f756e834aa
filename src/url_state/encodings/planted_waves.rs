//! Waves planted in queries and keys, in a link: `planted-waves=f:3,5,8;angle:90;one-angle;basis:2`.

use crate::{
    analysis::planted_waves::{MOST_WAVES, PlantedWaves, WaveBasis, WaveTurn},
    url_state::{
        codec::{Codec, Decimal, Flag, Maybe, Whole, take},
        section::fields,
    },
};
use std::ops::RangeInclusive;

/// Frequency of a wave, in periods over all positions.
const WAVE_FREQUENCIES: RangeInclusive<usize> = 1..=128;

/// Number of positions T of the waves.
pub const WAVE_LENGTHS: RangeInclusive<usize> = 48..=256;

/// Shift Δ of all waves, in positions.
pub const WAVE_SHIFTS: RangeInclusive<f64> = -16.0..=16.0;

/// Angle θ of all waves, in degrees.
pub const WAVE_ANGLES: RangeInclusive<f64> = -180.0..=180.0;

/// Seed of a random basis.
pub const BASIS_SEEDS: RangeInclusive<u64> = 1..=999_999;

/// Factor s of the scores.
pub const WAVE_SHARPNESSES: RangeInclusive<f64> = 0.0..=16.0;

/// Choices about planted waves.
#[derive(Debug, Clone, PartialEq)]
pub struct PlantedWavesChoice {
    /// Frequencies, ascending.
    pub frequencies: Vec<usize>,
    /// Number of positions T.
    pub length: usize,
    /// Whether all waves have the same angle θ instead of the same shift Δ.
    pub is_one_angle: bool,
    /// Shift Δ in positions.
    pub shift: f64,
    /// Angle θ in degrees.
    pub angle: f64,
    /// Seed of the random basis; `None` for the waves' own.
    pub basis_seed: Option<u64>,
    /// Factor s of the scores.
    pub sharpness: f64,
}

impl Default for PlantedWavesChoice {
    fn default() -> Self {
        Self {
            frequencies: vec![3, 5, 8, 13],
            length: 64,
            is_one_angle: false,
            shift: 3.0,
            angle: 90.0,
            basis_seed: None,
            sharpness: 2.0,
        }
    }
}

impl PlantedWavesChoice {
    /// The waves.
    #[must_use]
    pub fn waves(&self) -> PlantedWaves {
        PlantedWaves {
            frequencies: self.frequencies.clone(),
            length: self.length,
            turn: match self.is_one_angle {
                true => WaveTurn::OneAngle(self.angle.to_radians()),
                false => WaveTurn::OneShift(self.shift),
            },
            basis: self.basis_seed.map_or(WaveBasis::Own, WaveBasis::Random),
        }
    }

    /// Parses typed frequencies. The result is ascending and free of duplicates.
    ///
    /// # Errors
    /// A sentence about the first word that is not a frequency in [`WAVE_FREQUENCIES`], or that there are none or more
    /// than [`MOST_WAVES`].
    pub fn typed_frequencies(text: &str) -> Result<Vec<usize>, String> {
        let whole = format!(
            "frequencies are whole numbers of periods from {} to {}",
            WAVE_FREQUENCIES.start(),
            WAVE_FREQUENCIES.end()
        );
        let frequencies = super::typed_numbers(text, WAVE_FREQUENCIES, |word| {
            format!("“{word}” is not a frequency: {whole}.")
        })?;
        match frequencies.len() {
            0 => Err(format!("Type at least one frequency: {whole}.")),
            1..=MOST_WAVES => Ok(frequencies),
            many => Err(format!(
                "At most {MOST_WAVES} waves are planted at once, and these are {many}."
            )),
        }
    }
}

fields! { PlantedWavesChoice {
    "f" => frequencies: FrequencyList;
    "t" => length: Whole(WAVE_LENGTHS);
    "one-angle" => is_one_angle: Flag;
    "shift" => shift: Decimal(WAVE_SHIFTS);
    "angle" => angle: Decimal(WAVE_ANGLES);
    "basis" => basis_seed: Maybe(Whole(BASIS_SEEDS));
    "s" => sharpness: Decimal(WAVE_SHARPNESSES);
}}

/// Ascending frequencies: `3,5,8`.
struct FrequencyList;

impl Codec<Vec<usize>> for FrequencyList {
    fn read(&self, text: &str, into: &mut Vec<usize>) -> Result<(), String> {
        take(text, PlantedWavesChoice::typed_frequencies(text).ok(), into)
    }

    fn write(&self, value: &Vec<usize>) -> Option<String> {
        let words: Vec<String> = value.iter().map(usize::to_string).collect();
        Some(words.join(","))
    }
}
