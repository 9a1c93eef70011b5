#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "a failed test may panic")]

use std::io::Write;

use proptest::prelude::*;

use super::{View, ViewKind};
use crate::random_log;
use crate::session::load::{Feed, News};
use crate::session::open::OpenLog;

/// All that a view holds, without what it only remembers.
fn digest(view: &View) -> String {
    format!(
        "as of {} · {:?} kept {:?} summary {:?} abandoned {:?} earlier {:?} out {:?} turns {} tokens {} root {:?}",
        view.as_of,
        view.window,
        view.kept,
        view.summary,
        view.abandoned,
        view.earlier,
        view.out,
        view.window_turns,
        view.settled_tokens,
        view.root
    )
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(256))]

    #[test]
    fn a_view_that_moved_is_the_view_made_there(
        seeds in random_log::seeds(80),
        places in proptest::collection::vec(any::<proptest::sample::Index>(), 1..20),
    ) {
        let mut file = tempfile::NamedTempFile::new().unwrap();
        file.write_all(&random_log::build(&seeds)).unwrap();
        let Ok(log) = OpenLog::load(file.path()) else { return Ok(()) };
        let last = log.session.last();
        for kind in ViewKind::ALL {
            let mut view = View::new(&log, kind, last);
            let back = (0..last).rev().chain(1..=last);
            for as_of in back.chain(places.iter().map(|place| place.index(last as usize + 1) as u32)) {
                view.move_to(&log, as_of);
                prop_assert_eq!(digest(&view), digest(&View::new(&log, kind, as_of)));
            }
        }
    }

    #[test]
    fn a_view_of_a_log_that_grows_is_the_view_made_at_its_end(seeds in random_log::seeds(80)) {
        let mut file = tempfile::NamedTempFile::new().unwrap();
        file.write_all(&random_log::build(&seeds)).unwrap();
        let mut feed = Feed::new(file.path());
        let News::Records(format, records) = feed.next(file.path()) else { return Ok(()) };
        let mut log = OpenLog::new(crate::session::Session::new(format), feed.source().unwrap());
        let mut view = View::new(&log, ViewKind::Window, 0);
        for (line, record) in records {
            log.session.push(line, record);
            let last = log.session.last();
            view.move_to(&log, last);
            prop_assert_eq!(digest(&view), digest(&View::new(&log, ViewKind::Window, last)));
        }
    }
}
