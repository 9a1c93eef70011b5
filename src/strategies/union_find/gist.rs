//! What is said of a cluster at a glance, kept with the union that made it.
//!
//! Weights are never negative, so sums only grow: a term that becomes one of the heaviest by a union is one that the
//! smaller side brought. So the heaviest terms cost what that side costs, whatever the cluster holds; and since each union
//! keeps its own, what a cluster was as of any moment is found, not worked out.

use super::vectors::Vector;

/// Terms that a cluster is called by.
pub const TERMS: usize = 5;

/// The heaviest terms of a sum, heaviest first; of equals the one that was said first.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Heaviest {
    terms: [(u32, f64); TERMS],
    count: usize,
}

impl Heaviest {
    /// Of one vector.
    pub fn of(vector: &Vector) -> Self {
        let mut heaviest = Self::default();
        for (term, weight) in vector.iter() {
            heaviest.offer(term, weight);
        }
        heaviest
    }

    /// A term weighs so much now, which is no less than before.
    pub fn offer(&mut self, term: u32, weight: f64) {
        let held = self.terms[..self.count].iter().position(|(known, _)| *known == term);
        let mut at = match held {
            Some(at) => at,
            None if self.count < TERMS => {
                self.count += 1;
                self.count - 1
            }
            None if comes_before((term, weight), self.terms[TERMS - 1]) => TERMS - 1,
            None => return,
        };
        self.terms[at] = (term, weight);
        while at > 0 && comes_before(self.terms[at], self.terms[at - 1]) {
            self.terms.swap(at, at - 1);
            at -= 1;
        }
    }

    /// The terms.
    pub fn terms(&self) -> impl Iterator<Item = u32> {
        self.terms.into_iter().take(self.count).map(|(term, _)| term)
    }
}

fn comes_before((a, x): (u32, f64), (b, y): (u32, f64)) -> bool {
    x.total_cmp(&y).reverse().then(a.cmp(&b)).is_lt()
}

/// A cluster as a union made it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Gist {
    /// What it is called by.
    pub heaviest: Heaviest,
    /// Its oldest member.
    pub oldest: u32,
    /// Its newest member.
    pub newest: u32,
    /// How many unions the cap had forced in the whole forest, this one counted.
    pub forced: u32,
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn what_grows_term_by_term_is_what_a_whole_sum_is(
            steps in prop::collection::vec((0..12_u32, 0..4_u8), 0..60),
        ) {
            let mut sums = [0.0_f64; 12];
            let mut grown = Heaviest::default();
            for (term, by) in steps {
                sums[term as usize] += f64::from(by) * 0.1;
                grown.offer(term, sums[term as usize]);
            }
            let (terms, weights): (Vec<u32>, Vec<f64>) =
                (0..).zip(sums).filter(|(_, weight)| *weight > 0.0).unzip();
            let whole: Vec<u32> = Heaviest::of(&Vector::new(terms, weights)).terms().collect();
            let weighty = grown.terms().filter(|term| sums[*term as usize] > 0.0);
            prop_assert_eq!(weighty.collect::<Vec<_>>(), whole);
        }
    }
}
