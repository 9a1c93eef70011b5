//! A question to a forest that grows meanwhile, answered on any thread.
//!
//! As of the newest turn the forest answers as it is. As of an earlier one the weights of words were others: the forest of
//! that turn is made again, from the messages that there were.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use crate::log::LogError;
use crate::summarisers::{Failure, SourceTurn, Summary};

use super::super::blocks::levels::whole;
use super::ColdForest;
use super::cut::Arrival;
use super::forest::Stamp;
use super::grove::Grove;
use super::reader::{Choice, Originals, Reading};
use super::replay::Replay;
use super::settings::{Settings, Vectors};
use super::summaries::{Of, Scribe};

/// How often it is looked whether the forest has come as far as the question.
const LOOK: Duration = Duration::from_millis(10);

/// A question.
#[derive(Clone, Debug)]
pub struct Question {
    /// The forest.
    pub grove: Arc<Grove>,
    /// Who sums up.
    pub scribe: Scribe,
    /// The words.
    pub text: String,
    /// The turn it is asked as of.
    pub as_of: Stamp,
    /// Tokens that the reader may get.
    pub budget: u64,
}

impl Question {
    /// What a reader gets. Waits for the forest, and takes as long as the summariser does.
    pub fn read(&self, stop: &AtomicBool) -> Result<Reading, Failure> {
        while self.grove.look(Replay::begun) < self.as_of {
            if stop.load(Ordering::Relaxed) {
                return Err(Failure::Stopped);
            }
            std::thread::sleep(LOOK);
        }
        let choice = self.choose(stop)?;
        let mut originals = OfGrove { question: self, stop };
        choice.read(self.budget, &mut originals).map_err(|error| failed(&error))
    }

    fn choose(&self, stop: &AtomicBool) -> Result<Choice, Failure> {
        let now = |replay: &Replay| {
            let newest = replay.messages().last().is_none_or(|message| message.came <= self.as_of);
            newest.then(|| Choice::of(replay.forest(), &self.text))
        };
        if let Some(choice) = self.grove.look(now) {
            return Ok(choice);
        }
        let (settings, arrivals, known) = self.grove.look(|replay| {
            let settings = *replay.forest().settings();
            let all = if settings.vectors == Vectors::Fitted { Stamp::MAX } else { self.as_of };
            let arrivals = replay.arrivals(all);
            let known = arrivals.iter().take_while(|arrival| arrival.came <= self.as_of).count();
            (settings, arrivals, known)
        });
        let forest = again(settings, arrivals, known, stop)?;
        Ok(Choice::of(&forest, &self.text))
    }
}

/// The forest of the first `known` of these messages.
fn again(
    settings: Settings,
    arrivals: Vec<Arrival>,
    known: usize,
    stop: &AtomicBool,
) -> Result<ColdForest, Failure> {
    let go_on = || if stop.load(Ordering::Relaxed) { Err(Failure::Stopped) } else { Ok(()) };
    let mut texts = Vec::new();
    if settings.vectors == Vectors::Fitted {
        for arrival in &arrivals {
            go_on()?;
            texts.push(arrival.text().map_err(|error| failed(&error))?);
        }
    }
    let mut replay = Replay::new(ColdForest::fitted(settings, texts.iter().map(String::as_str)));
    for arrival in arrivals.into_iter().take(known) {
        go_on()?;
        let text = arrival.text().map_err(|error| failed(&error))?;
        replay.take(arrival, &text);
    }
    Ok(replay.into_forest())
}

/// The messages of a forest that grows.
struct OfGrove<'a> {
    question: &'a Question,
    stop: &'a AtomicBool,
}

impl Originals for OfGrove<'_> {
    fn sources(&mut self, node: u32) -> Result<Vec<SourceTurn>, LogError> {
        let originals = self.question.grove.look(|replay| replay.originals(node).clone());
        whole(&originals)
    }

    fn summary(&mut self, root: u32, budget: u32) -> Result<Result<Summary, Failure>, LogError> {
        let Question { grove, scribe, as_of, .. } = self.question;
        let order = grove.look(|replay| scribe.order(replay, Of::new(replay, root, *as_of, budget)));
        Ok(order.write(self.stop)?.map(|written| written.summary))
    }
}

fn failed(error: &LogError) -> Failure {
    Failure::Failed(error.to_string())
}
