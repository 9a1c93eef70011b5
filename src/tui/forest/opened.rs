//! A forest's file behind the screen: questions to it are answered on another thread, one at a time.

use std::rc::Rc;
use std::sync::Arc;

use crate::cli::Writer;
use crate::outline::forest::{Asked, FileShown};
use crate::strategies::union_find::opened::Opened;
use crate::strategies::union_find::reader::{BUDGET, Reading};
use crate::strategies::union_find::settings::Settings;
use crate::summarisers::Failure;
use crate::summarisers::pool::Pool;

use super::super::replay::Wake;
use super::take_answer;

/// The file, and the question that is being answered.
pub(super) struct OpenFile {
    pub(super) shown: Rc<FileShown>,
    questions: Pool<u64, Reading>,
    /// The number of the newest question.
    question: u64,
}

impl OpenFile {
    pub(super) fn new(file: Opened, wake: &Wake) -> Self {
        let wake = Arc::clone(wake);
        Self { shown: Rc::new(FileShown::new(file)), questions: Pool::new(move || wake()), question: 0 }
    }

    /// Asks what a reader would get.
    pub(super) fn question(&mut self, text: &str, settings: Settings, writer: Writer) {
        self.questions.cancel(self.question);
        self.question += 1;
        let (file, question) = (Arc::clone(&self.shown.file), text.to_owned());
        *self.shown.asked.borrow_mut() =
            Some(Asked { question: question.clone(), as_of: 0, budget: BUDGET, reading: None });
        self.questions.ask(self.question, true, move |stop| {
            let reading = file.ask(&question, BUDGET, &settings, writer.bare(), stop);
            reading.map_err(|error| Failure::Failed(error.to_string()))
        });
    }

    /// Takes in an answer. True: there is one.
    pub(super) fn collect(&self) -> bool {
        take_answer(&self.questions, self.question, &mut self.shown.asked.borrow_mut())
    }

    /// Nobody waits for the answer any more.
    pub(super) fn halt(&self) {
        super::halt_question(&self.questions, self.question, &mut self.shown.asked.borrow_mut());
    }

    /// Whether an answer is on its way.
    pub(super) fn is_busy(&self) -> bool {
        self.shown.asked.borrow().as_ref().is_some_and(|asked| asked.reading.is_none())
    }
}
