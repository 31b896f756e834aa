//! Heads with a common profile as one convolution.

use super::{FilterSetting, Pixels};
use crate::math::PixelHead;

impl FilterSetting {
    /// Heads that share a profile and have whole offsets as centres are one convolution, whatever the profile: that of the
    /// image averaged by the profile (slides: "attention probabilities are all elements of a translation group"). Returns
    /// the largest difference from it over the pixels at which no profile reaches the edge; `None` if there are none.
    pub(super) fn profile_difference(&self, image: &Pixels, attention: &[f64]) -> Option<f64> {
        let kernel = self.head_kernel(image.channels);
        let heads = &self.heads[..self.heads.len().min(kernel.taps())];
        let shape = heads.first()?.shape;
        let whole = |v: f64| (v.fract() == 0.0).then_some(v as i64);
        let shifts = heads.iter().map(|head| {
            let centre = Some((whole(head.centre.0)?, whole(head.centre.1)?));
            centre.filter(|_| head.shape == shape)
        });
        let shifts: Vec<(i64, i64)> = shifts.collect::<Option<_>>()?;
        let profile = PixelHead {
            centre: (0.0, 0.0),
            shape,
        };
        let (down, across) = profile.reach();
        let fits = |at: i64, reach: f64, length: usize| {
            at as f64 - reach >= 0.0 && at as f64 + reach <= length as f64 - 1.0
        };
        let channels = kernel.channels_of(image.channels);
        let mut averages = None;
        let mut greatest = None;
        for (query, output) in attention.chunks_exact(channels).enumerate() {
            let (y, x) = image.grid.place(query);
            let keys = shifts.iter().map(|(dy, dx)| (y as i64 + dy, x as i64 + dx));
            let are_inside = keys.clone().all(|(y, x)| {
                fits(y, down, image.grid.height) && fits(x, across, image.grid.width)
            });
            if !are_inside {
                continue;
            }
            let averages = averages
                .get_or_insert_with(|| profile.look(image.grid, image.channels, &image.values));
            let mut expected = vec![0.0; channels];
            for (tap, (y, x)) in keys.enumerate() {
                let at = (y * image.grid.width as i64 + x) as usize * image.channels;
                kernel.add(tap, &averages[at..at + image.channels], &mut expected);
            }
            let apart = output.iter().zip(&expected).map(|(a, b)| (a - b).abs());
            greatest = Some(apart.fold(greatest.unwrap_or(0.0), f64::max));
        }
        greatest
    }
}
