//! Fitting the ranker's weights: a conditional logit over the candidates of one sentence, by Newton's method.
//!
//! Several right blocks share the probability; weights are drawn to nothing by their squares. Plain loops over small
//! dense matrices: some 300 sentences and 50 weights.

/// One sentence: the features of each candidate, and whether it is right.
#[derive(Clone, Default)]
pub struct Example {
    /// Features, a row a candidate.
    pub rows: Vec<Vec<f64>>,
    /// Which candidates are right.
    pub right: Vec<bool>,
}

/// Candidates less likely than this do not bend the curve.
const NEGLIGIBLE: f64 = 1e-7;
const STEPS: usize = 40;

/// The weights that explain `examples` best, with `ridge` on the square of each.
pub fn fit(examples: &[&Example], ridge: &[f64]) -> Vec<f64> {
    let mixed: Vec<&Example> =
        examples.iter().copied().filter(|e| e.right.contains(&true) && e.right.contains(&false)).collect();
    let mut weights = vec![0.0; ridge.len()];
    let mut loss = evaluate(&mixed, ridge, &weights, None);
    for _ in 0..STEPS {
        let mut slope = vec![0.0; ridge.len()];
        let mut curve = vec![0.0; ridge.len() * ridge.len()];
        evaluate(&mixed, ridge, &weights, Some((&mut slope, &mut curve)));
        let step = solve(curve, slope);
        let mut length = 1.0;
        let (mut next, mut next_loss) = (weights.clone(), loss);
        while length > 1e-4 {
            next = weights.iter().zip(&step).map(|(w, s)| w - length * s).collect();
            next_loss = evaluate(&mixed, ridge, &next, None);
            if next_loss <= loss + 1e-9 {
                break;
            }
            length /= 2.0;
        }
        let gained = loss - next_loss;
        (weights, loss) = (next, next_loss);
        if gained.abs() < 1e-6 {
            break;
        }
    }
    weights
}

type Derivatives<'a> = (&'a mut Vec<f64>, &'a mut Vec<f64>);

fn evaluate(
    examples: &[&Example],
    ridge: &[f64],
    weights: &[f64],
    mut derivatives: Option<Derivatives>,
) -> f64 {
    let size = ridge.len();
    let mut loss: f64 = ridge.iter().zip(weights).map(|(r, w)| 0.5 * r * w * w).sum();
    if let Some((slope, curve)) = &mut derivatives {
        for (i, (r, w)) in ridge.iter().zip(weights).enumerate() {
            slope[i] += r * w;
            curve[i * size + i] += r;
        }
    }
    for example in examples {
        let scores: Vec<f64> =
            example.rows.iter().map(|row| row.iter().zip(weights).map(|(a, b)| a * b).sum()).collect();
        let most = scores.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        let sum: f64 = scores.iter().map(|score| (score - most).exp()).sum();
        let shares: Vec<f64> = scores.iter().map(|score| (score - most).exp() / sum).collect();
        let right: f64 =
            shares.iter().zip(&example.right).filter(|(_, right)| **right).map(|(s, _)| *s).sum();
        let right = right.max(1e-300);
        loss -= right.ln();
        let Some((slope, curve)) = &mut derivatives else { continue };
        let mut mean = vec![0.0; size];
        for ((row, share), is_right) in example.rows.iter().zip(&shares).zip(&example.right) {
            let pull = share - if *is_right { share / right } else { 0.0 };
            for i in 0..size {
                slope[i] += pull * row[i];
                mean[i] += share * row[i];
            }
            if *share < NEGLIGIBLE {
                continue;
            }
            for i in (0..size).filter(|i| row[*i] != 0.0) {
                for j in 0..size {
                    curve[i * size + j] += share * row[i] * row[j];
                }
            }
        }
        for i in 0..size {
            for j in 0..size {
                curve[i * size + j] -= mean[i] * mean[j];
            }
        }
    }
    loss
}

/// Solves a system of linear equations by elimination with pivots.
fn solve(mut matrix: Vec<f64>, mut values: Vec<f64>) -> Vec<f64> {
    let size = values.len();
    for column in 0..size {
        let pivot = (column..size)
            .max_by(|a, b| matrix[a * size + column].abs().total_cmp(&matrix[b * size + column].abs()))
            .unwrap();
        for k in 0..size {
            matrix.swap(column * size + k, pivot * size + k);
        }
        values.swap(column, pivot);
        for row in column + 1..size {
            let share = matrix[row * size + column] / matrix[column * size + column];
            for k in column..size {
                matrix[row * size + k] -= share * matrix[column * size + k];
            }
            values[row] -= share * values[column];
        }
    }
    for row in (0..size).rev() {
        let known: f64 = (row + 1..size).map(|k| matrix[row * size + k] * values[k]).sum();
        values[row] = (values[row] - known) / matrix[row * size + row];
    }
    values
}
