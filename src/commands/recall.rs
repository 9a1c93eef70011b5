//! `pentimento recall`: a Markdown note of chosen turns, items and losses, ready to paste back to the agent.
//!
//! Finds what is asked for; what a note looks like is [`crate::recall`]'s. What looks like a key or a token is masked unless
//! that is turned off.

use std::io::Write;

use serde_json::{Value, json};

use crate::audit;
use crate::audit::work::Options;
use crate::cli::RecallArguments;
use crate::lineage::range::Plan;
use crate::message::complain;
use crate::recall::{self, Piece, masked};
use crate::session::TurnId;
use crate::session::address::Address;
use crate::session::open::{Lost, OpenLog};
use crate::session::text::shown;
use crate::strategies::blocks::Blocks;
use crate::text::lexicon;

use super::replay::settings;
use super::{Failure, SCHEMA, iso};

/// Prints the note.
pub(super) fn run(log: &OpenLog, arguments: &RecallArguments, out: &mut dyn Write) -> Result<(), Failure> {
    let mut recall = Recall { log, arguments, blocks: None, pieces: Vec::new() };
    if arguments.addresses.is_empty() {
        recall.everything()?;
    }
    for address in &arguments.addresses {
        recall.take(&address.parse()?)?;
    }
    if recall.pieces.is_empty() {
        return Err(Failure::NotFound("there is nothing to collect".to_owned()));
    }
    let Recall { pieces, .. } = recall;
    let masks = !arguments.show_secrets;
    if arguments.json {
        let piece = |piece: &Piece| json!({"address": piece.address, "about": piece.about, "text": masked(&piece.text, masks)});
        let pieces: Vec<Value> = pieces.iter().map(piece).collect();
        writeln!(
            out,
            "{}",
            json!({"schema": SCHEMA, "path": log.path.display().to_string(), "pieces": pieces})
        )?;
        return Ok(());
    }
    out.write_all(recall::markdown(&log.session, &pieces, masks).as_bytes())?;
    Ok(())
}

/// What is collected.
struct Recall<'a> {
    log: &'a OpenLog,
    arguments: &'a RecallArguments,
    blocks: Option<Blocks>,
    pieces: Vec<Piece>,
}

impl Recall<'_> {
    /// The ledger, and what the newest compaction dropped.
    fn everything(&mut self) -> Result<(), Failure> {
        let session = &self.log.session;
        let ledger = self.ledger()?.ledger();
        let numbers: Vec<u32> =
            ledger.in_force(session, session.last()).iter().map(|item| item.number).collect();
        for number in numbers {
            self.item(number)?;
        }
        let newest = self.log.session.compactions().iter().rev().find(|compaction| compaction.is_readable());
        if let Some(newest) = newest.map(|compaction| compaction.generation) {
            self.generation(newest)?;
        }
        if self.pieces.is_empty() {
            return Err(Failure::NotFound(
                "nothing binds in this session, and nothing was dropped".to_owned(),
            ));
        }
        Ok(())
    }

    fn ledger(&mut self) -> Result<&Blocks, Failure> {
        let blocks = match self.blocks.take() {
            Some(blocks) => blocks,
            None => Blocks::of(self.log, settings(&self.arguments.replay)?)?,
        };
        Ok(self.blocks.insert(blocks))
    }

    fn take(&mut self, address: &Address) -> Result<(), Failure> {
        match address {
            Address::Turn { thread, number, part } => {
                let found = self.log.find_turn(thread.as_deref(), *number)?;
                let parts = found.log.session.part_count(found.turn);
                if part.is_some_and(|part| part as usize >= parts) {
                    return Err(Lost::Part(address.to_string(), parts).into());
                }
                self.turn(found.log, found.turn, address.to_string(), *part)
            }
            Address::Line(line) => {
                let row = self.log.find_line(*line)?;
                let turn = self.log.session.row(row).turn().ok_or_else(|| {
                    Failure::NotFound(format!("line {line} is no part of a turn: there is nothing to recall"))
                })?;
                self.turn(self.log, turn, self.log.address(turn, None).to_string(), None)
            }
            Address::Generation(generation) => {
                let compactions = self.log.session.compactions().len();
                let compaction = self.log.session.generation(*generation);
                let compaction = compaction.ok_or(Lost::Generation(*generation, compactions))?;
                if let Some(reason) = compaction.unreadable() {
                    return Err(Failure::NotFound(format!("g{generation}: {reason}")));
                }
                if self.generation(*generation)? == 0 {
                    complain(&format!(
                        "g{generation} dropped nothing that binds or was open, and nothing lost before it is missing still"
                    ));
                }
                Ok(())
            }
            Address::Sentence { generation, sentence } => self.sentence(*generation, *sentence),
            Address::Item(number) => self.item(*number),
            other => Err(Failure::NotFound(format!(
                "{other} cannot be recalled: name turns, sentences of recorded summaries, generations or items"
            ))),
        }
    }

    fn turn(&mut self, log: &OpenLog, id: TurnId, address: String, part: Option<u32>) -> Result<(), Failure> {
        let turn = log.session.turn(id);
        let texts = log.texts(id)?;
        let wanted = texts.iter().filter(|located| part.is_none_or(|part| located.index == part));
        let text = wanted.map(|located| shown(&located.text)).collect::<Vec<_>>().join("\n");
        self.pieces.push(Piece::of_turn(address, turn.role, iso(turn.time), text));
        Ok(())
    }

    fn sentence(&mut self, generation: u32, number: u32) -> Result<(), Failure> {
        let compactions = self.log.session.compactions().len();
        let plan =
            Plan::new(&self.log.session, generation).ok_or(Lost::Generation(generation, compactions))?;
        let texts = plan.read(&self.log.source, lexicon::built_in())?;
        let lost = Lost::Sentence(generation, number, texts.sentences.len());
        let place = (number as usize).checked_sub(1).and_then(|place| texts.sentences.get(place));
        let text = place.ok_or(lost)?.text(&texts.summary).to_owned();
        self.pieces.push(Piece::of_sentence(format!("g{generation}.s{number}"), text));
        Ok(())
    }

    fn item(&mut self, number: u32) -> Result<(), Failure> {
        let item = self.ledger()?.find_item(number)?;
        let address = format!("{} · t{}", Address::Item(number), item.at);
        let piece = Piece { address, about: item.kinds().join(", "), text: item.text.clone() };
        // What was said twice in the same words stands once, under both addresses.
        match self.pieces.iter_mut().find(|known| known.text == piece.text && known.about == piece.about) {
            Some(known) => known.address = format!("{}, {}", known.address, piece.address),
            None => self.pieces.push(piece),
        }
        Ok(())
    }

    /// What a generation lost of what the user said, or else what was lost before and not said again; how many pieces
    /// that is.
    fn generation(&mut self, generation: u32) -> Result<usize, Failure> {
        let (passes, _) = audit::recorded(self.log, lexicon::built_in(), Options::default())?;
        let pass = passes.iter().find(|pass| pass.about.generation == generation);
        let mut lost: Vec<Piece> = pass.into_iter().flat_map(recall::statements).collect();
        if lost.is_empty() {
            lost = recall::lost_before(passes.iter(), generation);
        }
        let count = lost.len();
        for piece in lost {
            // What the ledger holds stands there, and says that it was lost.
            match self.pieces.iter_mut().find(|known| known.text == piece.text) {
                Some(known) => known.about = piece.about,
                None => self.pieces.push(piece),
            }
        }
        Ok(count)
    }
}
