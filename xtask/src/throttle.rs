//! A slow network, simulated by the server for everything that a browser requests: for the page and its workers alike.

use std::collections::HashMap;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use hyper::body::Bytes;

use crate::sizes::gzip;

/// Speed of a simulated network. Text and programs are sent gzipped, as hosts send them.
///
/// Connecting, TLS and TCP's slow start cost nothing, headers have no size, and requests are not slowed by the rate
/// upwards: half a kilobyte at 750 kbit/s would take 5 ms.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Throttle {
    /// Time from a request to the first byte of its response.
    pub latency: Duration,
    /// Bytes per second of all responses together.
    pub rate: u32,
}

impl Throttle {
    /// Lighthouse's slow 4G: 1.6 Mbit/s and 150 ms (`throttling.mobileSlow4G` in its `core/config/constants.js`).
    pub const SLOW_4G: Self = Self {
        latency: Duration::from_millis(150),
        rate: 200_000,
    };
}

/// Bytes that pass at once: three packets.
pub(crate) const CHUNK: usize = 4380;

/// Lateness of the server's timer that a link makes up for, so that the rate holds on a busy machine.
const LATENESS: Duration = Duration::from_millis(20);

/// The line of a throttled server, shared by its responses.
#[derive(Debug)]
pub(crate) struct Link {
    throttle: Throttle,
    /// Time at which every chunk so far has passed.
    free_at: Mutex<Instant>,
    /// Gzipped bodies by their bytes. Compression takes time that a host spends once.
    gzipped: Mutex<HashMap<Bytes, Bytes>>,
}

impl Link {
    pub(crate) fn new(throttle: Throttle) -> Self {
        Self {
            throttle,
            free_at: Mutex::new(Instant::now()),
            gzipped: Mutex::default(),
        }
    }

    pub(crate) fn latency(&self) -> Duration {
        self.throttle.latency
    }

    /// Returns when a chunk that is ready `now` will have passed, behind all chunks before it.
    pub(crate) fn pass(&self, now: Instant, bytes: usize) -> Instant {
        let mut free_at = lock(&self.free_at);
        let start = now
            .checked_sub(LATENESS)
            .map_or(*free_at, |earliest| earliest.max(*free_at));
        *free_at = start + Duration::from_secs_f64(bytes as f64 / f64::from(self.throttle.rate));
        *free_at
    }

    /// Returns a body gzipped.
    pub(crate) fn gzip(&self, body: &Bytes) -> crate::Result<Bytes> {
        let mut gzipped = lock(&self.gzipped);
        if let Some(bytes) = gzipped.get(body) {
            return Ok(bytes.clone());
        }
        let bytes = Bytes::from(gzip(body)?);
        gzipped.insert(body.clone(), bytes.clone());
        Ok(bytes)
    }
}

fn lock<T>(value: &Mutex<T>) -> MutexGuard<'_, T> {
    value.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn chunks_share_the_rate() {
        let link = Link::new(Throttle::SLOW_4G);
        let begun = Instant::now() + Duration::from_secs(1);
        let early = begun - LATENESS;
        // A tenth of a second each, whichever response they belong to.
        for tenths in 1..=5 {
            let passed = link.pass(begun, 20_000);
            assert_eq!(passed - early, Duration::from_millis(100 * tenths));
        }
        // An idle line saves no rate for later, beyond the timer's lateness.
        let later = begun + Duration::from_secs(10);
        let passed = link.pass(later, 20_000);
        assert_eq!(passed - later, Duration::from_millis(100) - LATENESS);
    }
}
