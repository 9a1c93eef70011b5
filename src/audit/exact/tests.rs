use super::*;
use crate::formats::facts::Role;
use crate::lineage::range::Block;

fn block(class: BlockClass, role: Role, text: &str) -> Block {
    crate::audit::tests::block(class, role, 1, text)
}

/// The items of blocks: class, comparable form, voice, parts.
fn items(blocks: &[Block]) -> Vec<(Class, String, Voice, u32)> {
    let (mut items, mut finder) = (Items::default(), Finder::default());
    for (number, block) in blocks.iter().enumerate() {
        items.take(&mut finder, number, block);
    }
    items.all.iter().map(|item| (item.class, item.normal.to_string(), item.voice, item.units)).collect()
}

fn of_prompt(text: &str) -> Vec<(Class, String)> {
    let found = items(&[block(BlockClass::Prompt, Role::User, text)]);
    found.into_iter().map(|(class, normal, _, _)| (class, normal)).collect()
}

#[test]
fn items_are_found_by_class() {
    for (text, class, normal) in [
        ("see src/main.rs, please", Class::Path, "src/main.rs"),
        ("use `--dry-run` here", Class::Command, "--dry-run"),
        ("then `cargo test --all` once", Class::Command, "cargo test --all"),
        ("it said ENOENT again", Class::Error, "enoent"),
        ("ended with exit code 101.", Class::Error, "exit code 101"),
        ("an HTTP 404 came back", Class::Error, "http 404"),
        ("error[E0502]: cannot borrow", Class::Error, "e0502"),
        ("wait 15 minutes", Class::Number, "15min"),
        ("all 4096 of them", Class::Number, "4096"),
        ("call parse_config", Class::Identifier, "parse_config"),
        ("he said \"leave it alone\" twice", Class::Quotation, "leave it alone"),
    ] {
        let found = of_prompt(text);
        assert!(found.contains(&(class, normal.to_owned())), "{text}: {found:?}");
    }
}

#[test]
fn what_only_looks_like_a_name_is_none() {
    for text in
        ["e.g. this", "about ~500 of it", "EVERYTHING in capitals", "3 of 12", "#1 on the list", "a \"word\""]
    {
        assert_eq!(of_prompt(text), [], "{text}");
    }
}

#[test]
fn an_item_counts_once_in_each_part_and_belongs_to_its_most_telling_voice() {
    let blocks = [
        block(BlockClass::ReadResult, Role::Tool, "parse_config parse_config"),
        block(BlockClass::Prompt, Role::User, "rename parse_config"),
        block(BlockClass::Text, Role::Assistant, "I renamed parse_config."),
    ];
    assert_eq!(items(&blocks), [(Class::Identifier, "parse_config".to_owned(), Voice::Prompt, 3)]);
}

#[test]
fn commands_are_those_that_do_something() {
    let call = "Bash\ncommand: cd /tmp/x && cargo test --lib 2>&1 | tail -3";
    let found = items(&[block(BlockClass::RunCall, Role::Assistant, call)]);
    let commands: Vec<&str> = found
        .iter()
        .filter(|(class, ..)| *class == Class::Command)
        .map(|(_, normal, ..)| &**normal)
        .collect();
    assert_eq!(commands, ["--lib", "cargo test --lib"]);
}

#[test]
fn places_are_bytes_of_the_part() {
    let text = "first, then src/main.rs";
    let mut block = block(BlockClass::Prompt, Role::User, text);
    block.shift = Some(10);
    let (mut items, mut finder) = (Items::default(), Finder::default());
    items.take(&mut finder, 0, &block);
    let at = text.find("src").unwrap() as u64 + 10;
    assert_eq!(items.all[0].places[0].bytes, Some((at, at + 11)));
}

#[test]
fn the_known_names_are_sorted() {
    assert!(LOOKING.is_sorted());
    assert!(is_errno("ENOENT") && is_errno("EACCES") && is_errno("ETIMEDOUT"));
}
