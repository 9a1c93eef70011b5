//! Tokens charged: each message once, whatever its records repeat, or a running total as it is logged.

use crate::formats::facts::{Meter, TurnFacts, Usage};

use super::grow::note_new;
use super::model::{Message, Session};
use super::turns::TurnId;

impl Session {
    /// A measurement: what was charged so far, how large the context is, the window, the model.
    pub(super) fn measure(&mut self, meter: &Meter) {
        note_new(&mut self.models, meter.model.as_deref());
        self.window = meter.window.map(small).or(self.window);
        if let Some(total) = meter.total {
            let (last, before) = &mut self.metered;
            // The counter of a new process begins anew.
            if total.context() + total.output < last.context() + last.output {
                before.add(*last);
            }
            *last = total;
            self.usage = *before;
            self.usage.add(total);
        }
        // It holds for the newest turn, whoever speaks in it: what comes later changes nothing before it. Where a
        // rewind went back since, that turn is on no path any more.
        if let (Some(context), Some(newest)) = (meter.context, self.main().turns.last()) {
            self.set_context(newest, context);
        }
    }

    /// The logged size of the context at turn `id`.
    fn set_context(&mut self, id: TurnId, context: u64) {
        if context > 0 {
            self.turns.change(id.0, |turn| turn.context = small(context));
        }
    }

    /// Usage is repeated on every record of a message and grows: the last record counts, once for the message.
    pub(super) fn count_usage(&mut self, id: TurnId, facts: &TurnFacts) {
        let Some(message) = facts.message else {
            if let Some(usage) = facts.usage {
                self.add_usage(usage, [0; 4]);
                self.set_context(id, usage.context());
            }
            return;
        };
        let step = self.turn(id).step;
        let known = self.messages.entry(message).or_insert(Message { last_turn: id, step, usage: [0; 4] });
        known.last_turn = id;
        if let Some(usage) = facts.usage {
            let now = [usage.input, usage.output, usage.cache_read, usage.cache_write].map(small);
            let before = std::mem::replace(&mut known.usage, now);
            self.add_usage(usage, before);
            self.set_context(id, usage.context());
        }
    }

    fn add_usage(&mut self, now: Usage, before: [u32; 4]) {
        let [input, output, cache_read, cache_write] = before.map(u64::from);
        self.usage.input += u64::from(small(now.input));
        self.usage.output += u64::from(small(now.output));
        self.usage.cache_read += u64::from(small(now.cache_read));
        self.usage.cache_write += u64::from(small(now.cache_write));
        self.usage.input -= input;
        self.usage.output -= output;
        self.usage.cache_read -= cache_read;
        self.usage.cache_write -= cache_write;
    }
}

fn small(tokens: u64) -> u32 {
    u32::try_from(tokens).unwrap_or(u32::MAX)
}
