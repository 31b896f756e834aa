//! The state of a connection to a worker.
//!
//! It knows neither browser nor clock: its owner passes it the worker's messages, calls it at intervals, and posts the
//! messages that it returns.

use crate::FromWorker;
use std::fmt;

/// Seconds within which a worker must send its first message, as long as `www/own_file.js` waits for a file.
pub const START_LIMIT_S: u32 = 20;

/// Milliseconds after [`START_LIMIT_S`] in which a page that was busy or asleep receives what the worker has sent
/// meanwhile.
pub const START_GRACE_MS: u32 = 1000;

/// Shortest limit of silence in seconds before the program is ready: it may take this long to compile. While it is
/// being downloaded, the worker's script reports it alive, and has limits of its own.
const LOADING_LIMIT_S: u32 = 60;

/// Reason why a worker was lost.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Loss {
    /// Its program has ended, or its script could not be run.
    Ended,
    /// Its script sent no message within [`START_LIMIT_S`] and [`START_GRACE_MS`].
    NeverHeard,
    /// It sent no message within its [`SilenceLimit`], although a request was open.
    Silent,
    /// Its program could not be loaded, for this reason of `www/own_file.js`.
    NotLoaded(String),
}

/// The longest silence of a worker that has open requests.
///
/// Silence is counted in intervals between calls of [`Connection::check_silence`], not in time: after the computer has
/// slept, or in a tab whose timers the browser slows down, a worker would be silent by the clock without having had
/// time to speak.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SilenceLimit {
    seconds: u32,
}

impl SilenceLimit {
    /// Number of intervals in the limit.
    const INTERVALS: u32 = 12;
    /// Number of silent intervals after which the worker is pinged.
    const UNTIL_PING: u32 = 2;

    /// A limit in seconds, at least 1.
    #[must_use]
    pub fn from_seconds(seconds: u32) -> Self {
        Self {
            seconds: seconds.max(1),
        }
    }

    /// Milliseconds between two checks.
    #[must_use]
    pub fn interval_ms(self) -> u32 {
        self.seconds.saturating_mul(1000) / Self::INTERVALS
    }

    /// Number of silent intervals after which the worker counts as lost.
    fn intervals(self, is_ready: bool) -> u32 {
        if is_ready {
            return Self::INTERVALS;
        }
        (Self::INTERVALS * LOADING_LIMIT_S)
            .div_ceil(self.seconds)
            .max(Self::INTERVALS)
    }
}

/// Result of [`Connection::check_silence`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum SilenceCheck {
    /// Nothing is to be done.
    Fine,
    /// The worker should be pinged.
    Ping,
    /// The worker is lost.
    Lost(Loss),
}

/// Phase of a worker's life.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Phase {
    /// It has sent nothing yet.
    Starting,
    /// Its script runs and loads the program.
    Loading,
    /// The program accepts requests.
    Ready,
}

/// The state of a connection to a worker. `M` is a message that is ready to be posted.
pub struct Connection<M> {
    phase: Phase,
    is_over: bool,
    /// Whether [`START_LIMIT_S`] has passed without a message.
    is_start_late: bool,
    limit: Option<SilenceLimit>,
    /// Messages that wait until the program is ready.
    queue: Vec<M>,
    /// Numbers of the open requests.
    open: Vec<u32>,
    /// Intervals since the last message, while a request is open.
    silent_intervals: u32,
}

impl<M> fmt::Debug for Connection<M> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Connection")
            .field("phase", &self.phase)
            .field("is_over", &self.is_over)
            .field("open", &self.open)
            .finish_non_exhaustive()
    }
}

impl<M> Connection<M> {
    /// The connection to a worker that has just been started.
    #[must_use]
    pub fn new(limit: Option<SilenceLimit>) -> Self {
        Self {
            phase: Phase::Starting,
            is_over: false,
            is_start_late: false,
            limit,
            queue: Vec::new(),
            open: Vec::new(),
            silent_intervals: 0,
        }
    }

    /// Whether the program has reported that it is ready. Stays true after its end.
    #[must_use]
    pub fn is_ready(&self) -> bool {
        self.phase == Phase::Ready
    }

    /// Whether the worker is lost or was terminated. Its later messages are to be ignored.
    #[must_use]
    pub fn is_over(&self) -> bool {
        self.is_over
    }

    /// Whether a request is open.
    #[must_use]
    pub fn is_busy(&self) -> bool {
        !self.open.is_empty()
    }

    /// Opens a request. Returns its message if it is to be posted now.
    pub fn open(&mut self, number: u32, message: M) -> Option<M> {
        if self.open.is_empty() {
            self.silent_intervals = 0;
        }
        if !self.is_over {
            self.open.push(number);
        }
        self.post(message)
    }

    /// Closes a request: its last response has arrived, or it is cancelled.
    pub fn close(&mut self, number: u32) {
        self.open.retain(|open| *open != number);
    }

    /// Takes a message that opens no request. Returns it if it is to be posted now.
    pub fn post(&mut self, message: M) -> Option<M> {
        if self.is_over {
            return None;
        }
        if self.is_ready() {
            return Some(message);
        }
        self.queue.push(message);
        None
    }

    /// Takes note of a message, also of a malformed one. Returns the messages that are to be posted now.
    pub fn receive(&mut self, message: Option<&FromWorker>) -> Vec<M> {
        self.silent_intervals = 0;
        if message == Some(&FromWorker::Ready) {
            self.phase = Phase::Ready;
        } else if self.phase == Phase::Starting {
            self.phase = Phase::Loading;
        }
        if self.is_ready() {
            std::mem::take(&mut self.queue)
        } else {
            Vec::new()
        }
    }

    /// Ends the connection. Returns whether it was not over yet, so that a loss is reported once.
    pub fn end(&mut self) -> bool {
        self.queue.clear();
        self.open.clear();
        !std::mem::replace(&mut self.is_over, true)
    }

    /// Call this [`START_LIMIT_S`] after the start, and once more [`START_GRACE_MS`] later. The second call returns the
    /// loss if the worker has sent nothing.
    ///
    /// The first call says nothing yet: if the page's thread was busy, or the computer asleep, the timer of the call
    /// may run before messages that have long arrived.
    pub fn check_start(&mut self) -> Option<Loss> {
        let is_silent = self.phase == Phase::Starting && !self.is_over;
        let was_late = std::mem::replace(&mut self.is_start_late, is_silent);
        (is_silent && was_late).then_some(Loss::NeverHeard)
    }

    /// Call this every [`SilenceLimit::interval_ms`].
    pub fn check_silence(&mut self) -> SilenceCheck {
        let Some(limit) = self.limit.filter(|_| self.is_busy()) else {
            self.silent_intervals = 0;
            return SilenceCheck::Fine;
        };
        self.silent_intervals += 1;
        // The first interval may have begun just before the check.
        if self.silent_intervals > limit.intervals(self.is_ready()) {
            SilenceCheck::Lost(Loss::Silent)
        } else if self.is_ready() && self.silent_intervals > SilenceLimit::UNTIL_PING {
            SilenceCheck::Ping
        } else {
            SilenceCheck::Fine
        }
    }
}
