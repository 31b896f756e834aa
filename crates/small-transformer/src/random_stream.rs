//! Random numbers that depend on a seed and a name alone.
//!
//! Every tensor starts from the stream of its own name, and every batch from the stream of its step. So runs with the
//! same seed share each weight that they both have and each batch, however they encode position.

use std::f64::consts::TAU;

/// A stream of random numbers.
#[derive(Clone, Debug)]
pub struct RandomStream {
    numbers: fastrand::Rng,
}

impl RandomStream {
    /// The stream of a seed, a name, and a number within the name (of a step; zero where there is none).
    #[must_use]
    pub fn new(seed: u64, name: &str, number: u64) -> Self {
        // FNV-1a: keys need not be safe from attackers, only different.
        let (seed, number) = (seed.to_le_bytes(), number.to_le_bytes());
        let bytes = seed.iter().chain(&number).chain(name.as_bytes());
        let key = bytes.fold(0xcbf2_9ce4_8422_2325_u64, |key, byte| {
            (key ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01b3)
        });
        let mut numbers = fastrand::Rng::with_seed(key);
        // Seeds that differ in one bit have similar first numbers.
        for _ in 0..4 {
            numbers.u64(..);
        }
        Self { numbers }
    }

    /// A whole number in 0 … `count` − 1; zero if `count` is zero.
    pub fn below(&mut self, count: usize) -> usize {
        // Sixty-four bits also where a `usize` has thirty-two: browsers and servers draw the same numbers.
        match count as u64 {
            0 => 0,
            count => self.numbers.u64(..count) as usize,
        }
    }

    /// A number in [0, 1).
    pub fn uniform(&mut self) -> f64 {
        self.numbers.f64()
    }

    /// A number of the normal distribution with mean 0 and standard deviation 1 (Box & Muller 1958).
    pub fn normal(&mut self) -> f64 {
        let (radius, angle) = (1.0 - self.uniform(), self.uniform());
        (-2.0 * radius.ln()).sqrt() * (TAU * angle).cos()
    }
}

#[cfg(test)]
mod tests {
    use super::RandomStream;

    #[test]
    fn streams_differ_by_each_of_their_keys() {
        let first = |seed, name, number| RandomStream::new(seed, name, number).uniform().to_bits();
        let one = first(1, "a", 0);
        assert_eq!(one, first(1, "a", 0));
        for other in [first(2, "a", 0), first(1, "b", 0), first(1, "a", 1)] {
            assert_ne!(one, other);
        }
    }

    #[test]
    fn numbers_have_the_moments_of_their_distributions() {
        let mut stream = RandomStream::new(3, "moments", 0);
        let count = 20_000;
        let normal: Vec<f64> = (0..count).map(|_| stream.normal()).collect();
        let moment =
            |power: i32| normal.iter().map(|v| v.powi(power)).sum::<f64>() / f64::from(count);
        assert!(
            moment(1).abs() < 0.03
                && (moment(2) - 1.0).abs() < 0.04
                && (moment(4) - 3.0).abs() < 0.3
        );
        let mean = (0..count).map(|_| stream.below(5) as f64).sum::<f64>() / f64::from(count);
        assert!((mean - 2.0).abs() < 0.05);
        assert_eq!(stream.below(0), 0);
    }
}
