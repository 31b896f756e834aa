//! Link section of the images view.

use super::{
    codec::{
        Codec, Decimal, Maybe, OneOf, OneOfNamed, ShortText, Whole, number_within, take,
        whole_within,
    },
    section::fields,
};
use crate::{
    analysis::{MOST_HEADS, SAMPLES, SIDES, Sample},
    math::{Covariance, HeadShape, Padding, PixelHead, TapSide},
};
use std::ops::RangeInclusive;

/// Range of α of a head.
pub const ALPHAS: RangeInclusive<f64> = 0.0..=1e6;
/// Range of a head's centre in either direction, in pixels from the query.
pub const HEAD_CENTRES: RangeInclusive<f64> = -256.0..=256.0;
/// Range of the standard deviations of an oval head, in pixels.
pub const DEVIATIONS: RangeInclusive<f64> = 0.05..=256.0;
/// Range of the correlation between the two directions of an oval head.
pub const CORRELATIONS: RangeInclusive<f64> = -0.99..=0.99;
/// Range of the radius of a box head, in pixels.
pub const BOX_RADII: RangeInclusive<f64> = 0.0..=256.0;
/// Range of the channels of a head, if they are limited.
pub const HEAD_CHANNELS: RangeInclusive<usize> = 1..=3;
/// The most characters of a typed kernel.
pub const LONGEST_KERNEL: usize = 4000;
/// Range of the distance between two taps, in pixels.
pub const SPACINGS: RangeInclusive<usize> = 1..=4;
/// Range of the stride: one pixel of the result per this many pixels.
pub const STRIDES: RangeInclusive<usize> = 1..=4;

/// Choices in the images view.
#[derive(Debug, Clone, PartialEq)]
pub struct ImagesSection {
    /// The sample image that is drawn here. `None` for the user's own image, which a link cannot hold.
    pub sample: Option<Sample>,
    /// Pixels per side.
    pub side: usize,
    /// The kernel: its name, or its numbers as typed.
    pub kernel: String,
    /// Distance between taps in pixels.
    pub spacing: usize,
    /// One pixel of the result per this many pixels.
    pub stride: usize,
    /// Whether taps are read as written or turned.
    pub taps: TapSide,
    /// Values beyond the edge of the image.
    pub padding: Padding,
    /// α of the heads while they are at the kernel's taps.
    pub alpha: f64,
    /// Heads that were moved. `None` while they are at the kernel's taps.
    pub heads: Option<Vec<PixelHead>>,
    /// `D_h`: channels between the value and the output matrix of a head. `None` for as many as the kernel needs.
    pub head_channels: Option<usize>,
    /// The open head, from 0.
    pub head: usize,
    /// Whether attention maps show only the neighbourhood of the query pixel instead of the whole image.
    pub near: bool,
    /// The query pixel, row and column. `None` is the middle pixel.
    pub query: Option<(usize, usize)>,
}

impl Default for ImagesSection {
    fn default() -> Self {
        Self {
            sample: Some(Sample::default()),
            side: 64,
            kernel: "sharpen".to_owned(),
            spacing: 1,
            stride: 1,
            taps: TapSide::default(),
            padding: Padding::default(),
            alpha: 2.0,
            heads: None,
            head_channels: None,
            head: 0,
            near: true,
            query: None,
        }
    }
}

fields! { ImagesSection {
    "image" => sample: SampleOrOwn;
    "side" => side: OneOf(&[(SIDES[0], "16"), (SIDES[1], "32"), (SIDES[2], "64"), (SIDES[3], "128"), (SIDES[4], "224")]);
    "filter" => kernel: ShortText(LONGEST_KERNEL);
    "spacing" => spacing: Whole(SPACINGS);
    "stride" => stride: Whole(STRIDES);
    "taps" => taps: OneOf(&[(TapSide::AsWritten, "as-written"), (TapSide::Turned, "turned")]);
    "beyond" => padding: OneOf(&[(Padding::Edge, "edge"), (Padding::Zeros, "zeros")]);
    "alpha" => alpha: Decimal(ALPHAS);
    "gaussians" => heads: Maybe(HeadsCodec);
    "channels" => head_channels: Maybe(Whole(HEAD_CHANNELS));
    "gaussian" => head: super::codec::FromOne;
    "maps" => near: OneOf(&[(true, "near"), (false, "whole")]);
    "pixel" => query: Maybe(Pixel);
}}

/// A sample by its identifier, or `own`.
struct SampleOrOwn;

impl Codec<Option<Sample>> for SampleOrOwn {
    fn read(&self, text: &str, into: &mut Option<Sample>) -> Result<(), String> {
        if text == "own" {
            *into = None;
            return Ok(());
        }
        let mut sample = Sample::default();
        OneOfNamed(SAMPLES).read(text, &mut sample)?;
        *into = Some(sample);
        Ok(())
    }

    fn write(&self, value: &Option<Sample>) -> Option<String> {
        match value {
            Some(sample) => OneOfNamed(SAMPLES).write(sample),
            None => Some("own".to_owned()),
        }
    }
}

/// Heads separated by semicolons: `Δy:Δx:α`, `Δy:Δx:Σyy:Σyx:Σxx` for an oval head, or `Δy:Δx:box:τ` for a box.
struct HeadsCodec;

impl Codec<Vec<PixelHead>> for HeadsCodec {
    fn read(&self, text: &str, into: &mut Vec<PixelHead>) -> Result<(), String> {
        let heads = text.split(';').take(MOST_HEADS + 1).map(head);
        let heads: Option<Vec<_>> = heads.collect();
        take(text, heads.filter(|heads| heads.len() <= MOST_HEADS), into)
    }

    fn write(&self, value: &Vec<PixelHead>) -> Option<String> {
        let one = |head: &PixelHead| {
            let (y, x) = head.centre;
            match head.shape {
                HeadShape::Round(alpha) => format!("{y}:{x}:{alpha}"),
                HeadShape::Oval(Covariance { yy, yx, xx }) => format!("{y}:{x}:{yy}:{yx}:{xx}"),
                HeadShape::Box(radius) => format!("{y}:{x}:box:{radius}"),
            }
        };
        Some(value.iter().map(one).collect::<Vec<_>>().join(";"))
    }
}

fn head(text: &str) -> Option<PixelHead> {
    let numbers: Vec<&str> = text.split(':').take(6).collect();
    let centre = |text: &str| number_within(text, HEAD_CENTRES);
    let square = *DEVIATIONS.end() * *DEVIATIONS.end();
    let entry = |text: &str| number_within(text, -square..=square);
    let (y, x, shape) = match numbers[..] {
        [y, x, alpha] => (y, x, HeadShape::Round(number_within(alpha, ALPHAS)?)),
        [y, x, "box", radius] => (y, x, HeadShape::Box(number_within(radius, BOX_RADII)?)),
        [y, x, yy, yx, xx] => {
            let covariance = Covariance {
                yy: entry(yy)?,
                yx: entry(yx)?,
                xx: entry(xx)?,
            };
            (
                y,
                x,
                HeadShape::Oval(Some(covariance).filter(|c| c.is_proper())?),
            )
        }
        _ => return None,
    };
    Some(PixelHead {
        centre: (centre(y)?, centre(x)?),
        shape,
    })
}

/// A pixel, row and column from 0: `31,12`.
struct Pixel;

impl Codec<(usize, usize)> for Pixel {
    fn read(&self, text: &str, into: &mut (usize, usize)) -> Result<(), String> {
        let index = |text: &str| whole_within(text, 0..=usize::from(u16::MAX));
        let pixel = text.split_once(',');
        let pixel = pixel.and_then(|(y, x)| Some((index(y)?, index(x)?)));
        take(text, pixel, into)
    }

    fn write(&self, (y, x): &(usize, usize)) -> Option<String> {
        Some(format!("{y},{x}"))
    }
}
