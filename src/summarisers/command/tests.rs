use super::super::{SourcePart, SourceTurn};
use super::*;
use crate::formats::facts::{PartKind, Role};

fn request() -> Request {
    let part =
        |text: &str| SourcePart { kind: PartKind::Text, tool: None, error: false, text: text.to_owned() };
    let turn = |number, role, text| SourceTurn { turns: (number, number), role, parts: vec![part(text)] };
    let sources =
        vec![turn(3, Role::User, "Rename the flag. {{budget}}"), turn(4, Role::Assistant, "It is renamed.")];
    Request { sources, budget: 77 }
}

fn run(command: &str) -> Result<Summary, Failure> {
    Program::new(command).with_limit(Duration::from_secs(20)).summarise(&request(), &AtomicBool::new(false))
}

fn failure(command: &str) -> String {
    match run(command) {
        Err(Failure::Failed(what)) => what,
        other => panic!("{command}: {other:?}"),
    }
}

/// Whether a process runs whose command line holds `mark`.
fn runs(mark: &str) -> bool {
    let entries = std::fs::read_dir("/proc").unwrap().filter_map(Result::ok);
    entries
        .filter_map(|entry| std::fs::read(entry.path().join("cmdline")).ok())
        .any(|line| line.windows(mark.len()).any(|window| window == mark.as_bytes()))
}

fn ends(mark: &str) -> bool {
    let until = Instant::now() + Duration::from_secs(5);
    while runs(mark) && Instant::now() < until {
        thread::sleep(TICK);
    }
    !runs(mark)
}

#[test]
fn the_prompt_goes_in_and_the_summary_comes_out() {
    let summary = run("cat").unwrap();
    for words in
        ["turns t3 to t4", "At most 77 tokens", "[t3 user]\nRename the flag. {{budget}}\n", "[t4 assistant]"]
    {
        assert!(summary.text.contains(words), "{words:?} in {}", summary.text);
    }
    let summary = run("printf '\\n## Goal\\n\\n- x\\n'").unwrap();
    assert_eq!(summary.text, "## Goal\n\n- x");
    let lines: Vec<&str> = summary.lines.iter().map(|line| &summary.text[line.range.clone()]).collect();
    assert_eq!(lines, ["## Goal", "- x"]);
}

#[test]
fn what_goes_wrong_is_told() {
    let told = failure("printf 'no \\033[31mkey\\nmore' >&2; exit 3");
    assert!(told.contains("exit status: 3") && told.contains("no ") && told.contains("key"), "{told}");
    assert!(!told.contains('\u{1b}') && !told.contains("more"), "{told}");
    assert!(failure("no-such-program-at-all").contains("no such program?"));
    assert!(failure("kill -9 $$").contains("signal: 9"));
    assert!(failure("true").contains("answered nothing"));
    assert!(failure("printf '  \\n'").contains("answered nothing"));
    assert!(failure("printf 'ab\\377'").contains("no UTF-8 (byte 2)"));
    assert!(failure("yes").contains("wrote more than 68000 bytes"));
    assert!(failure("cat >/dev/null; head -c 1000000 /dev/zero >&2; exit 1").contains("exit status: 1"));
}

#[test]
fn a_slow_command_is_ended_with_its_children() {
    let program = Program::new("sleep 601.25 & sleep 601.25; true").with_limit(Duration::from_millis(300));
    let start = Instant::now();
    let Err(Failure::Failed(told)) = program.summarise(&request(), &AtomicBool::new(false)) else { panic!() };
    assert!(told.contains("within 0.3 s"), "{told}");
    assert!(start.elapsed() < Duration::from_secs(10));
    assert!(ends("601.25"));
}

#[test]
fn it_stops_when_told_and_leaves_nothing_behind() {
    let stop = std::sync::Arc::new(AtomicBool::new(false));
    let run = {
        let stop = std::sync::Arc::clone(&stop);
        thread::spawn(move || Program::new("sleep 602.25").summarise(&request(), &stop))
    };
    while !runs("602.25") {
        thread::sleep(TICK);
    }
    stop.store(true, Ordering::Relaxed);
    assert_eq!(run.join().unwrap(), Err(Failure::Stopped));
    assert!(ends("602.25"));
}

#[test]
fn what_a_command_leaves_in_the_background_is_ended() {
    assert_eq!(run("sleep 603.25 >/dev/null 2>&1 & echo done").unwrap().text, "done");
    assert!(ends("603.25"));
    let told = failure("sleep 604.25 & echo done");
    assert!(told.contains("kept its output open"), "{told}");
    assert!(ends("604.25"));
}

#[test]
#[ignore = "a part of the next test, in a process of its own"]
fn asker_that_is_killed() {
    if std::env::var_os("COMMAND_UNDER_TEST").is_some() {
        let _ = Program::new("sleep 605.25").summarise(&request(), &AtomicBool::new(false));
    }
}

#[test]
fn a_command_does_not_outlive_who_asked_however_that_ended() {
    let test = "summarisers::command::tests::asker_that_is_killed";
    let mut asker = Command::new(std::env::current_exe().unwrap())
        .args(["--ignored", "--exact", test])
        .env("COMMAND_UNDER_TEST", "1")
        .stdout(Stdio::null())
        .spawn()
        .unwrap();
    while !runs("605.25") {
        thread::sleep(TICK);
    }
    asker.kill().unwrap();
    asker.wait().unwrap();
    assert!(ends("605.25"));
}

#[test]
fn prompts_can_be_replaced_and_have_a_name() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("turns.md"), "Say {{budget}}:").unwrap();
    let own = Prompts::from_folder(folder.path()).unwrap();
    let program = Program::new("cat").with_prompts(own);
    let summary = program.summarise(&request(), &AtomicBool::new(false)).unwrap();
    assert!(summary.text.starts_with("Say 77:\n[t3 user]"), "{}", summary.text);
    assert_ne!(program.name(), Program::new("cat").name());
    assert!(Prompts::from_folder(&folder.path().join("missing")).is_err());
}
