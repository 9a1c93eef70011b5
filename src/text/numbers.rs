//! Numbers as a reader wants them: short, grouped, counted, in runs.

/// `842`, `2.9k`, `142k`, `1.2M`: at most four characters up to a thousand million.
pub fn short(n: u64) -> String {
    match n {
        0..=999 => n.to_string(),
        1_000..=9_949 => tenths(n, 1_000, 'k'),
        9_950..=999_499 => format!("{}k", (n + 500) / 1_000),
        999_500..=9_949_999 => tenths(n, 1_000_000, 'M'),
        9_950_000..=999_499_999 => format!("{}M", (n + 500_000) / 1_000_000),
        _ => format!("{}G", n / 1_000_000_000 + u64::from(n % 1_000_000_000 >= 500_000_000)),
    }
}

fn tenths(n: u64, unit: u64, suffix: char) -> String {
    let tenths = (n * 10 + unit / 2) / unit;
    if tenths.is_multiple_of(10) {
        format!("{}{suffix}", tenths / 10)
    } else {
        format!("{}.{}{suffix}", tenths / 10, tenths % 10)
    }
}

/// Numbers in order as runs of numbers that follow one another, each with its first and last.
pub fn runs(numbers: impl IntoIterator<Item = u32>) -> Vec<(u32, u32)> {
    let mut out: Vec<(u32, u32)> = Vec::new();
    for number in numbers {
        match out.last_mut() {
            Some((_, last)) if last.checked_add(1) == Some(number) => *last = number,
            _ => out.push((number, number)),
        }
    }
    out
}

/// `1,234,567`.
pub fn grouped(n: u64) -> String {
    let digits = n.to_string();
    let mut out = String::with_capacity(digits.len() + digits.len() / 3);
    for (i, c) in digits.chars().enumerate() {
        if i > 0 && (digits.len() - i).is_multiple_of(3) {
            out.push(',');
        }
        out.push(c);
    }
    out
}

/// Bytes with a binary unit: `12 B`, `3.4 KiB`, `118 MiB`.
pub fn bytes(n: u64) -> String {
    const UNITS: [&str; 4] = ["KiB", "MiB", "GiB", "TiB"];
    if n < 1024 {
        return format!("{n} B");
    }
    let mut value = n as f64 / 1024.0;
    let mut unit = 0;
    while value >= 1023.95 && unit + 1 < UNITS.len() {
        value /= 1024.0;
        unit += 1;
    }
    if value < 99.95 { format!("{value:.1} {}", UNITS[unit]) } else { format!("{value:.0} {}", UNITS[unit]) }
}

/// `1 turn`, `34 turns`: a count with its noun in the right number.
pub fn count(n: u64, noun: &str) -> String {
    let plural = if n == 1 { "" } else { "s" };
    format!("{} {noun}{plural}", grouped(n))
}

/// How long ago something was, in at most four characters: `now`, `5m`, `3h`, `12d`, `9w`, `2y`.
pub fn age(seconds: u64) -> String {
    const MINUTE: u64 = 60;
    const HOUR: u64 = 60 * MINUTE;
    const DAY: u64 = 24 * HOUR;
    match seconds {
        ..MINUTE => "now".to_owned(),
        MINUTE..HOUR => format!("{}m", seconds / MINUTE),
        HOUR..DAY => format!("{}h", seconds / HOUR),
        _ if seconds < 100 * DAY => format!("{}d", seconds / DAY),
        _ if seconds < 2 * 365 * DAY => format!("{}w", seconds / (7 * DAY)),
        _ => format!("{}y", seconds / (365 * DAY)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn short_numbers_round_and_stay_short() {
        for (n, text) in [
            (0, "0"),
            (999, "999"),
            (1_000, "1k"),
            (2_949, "2.9k"),
            (9_949, "9.9k"),
            (9_950, "10k"),
            (142_300, "142k"),
            (999_499, "999k"),
            (999_500, "1M"),
            (12_300_000, "12M"),
            (u64::MAX, "18446744074G"),
        ] {
            assert_eq!(short(n), text);
        }
    }

    #[test]
    fn ages_have_one_unit() {
        let day = 86_400;
        for (seconds, text) in [
            (0, "now"),
            (59, "now"),
            (60, "1m"),
            (3_599, "59m"),
            (3_600, "1h"),
            (day - 1, "23h"),
            (99 * day, "99d"),
            (100 * day, "14w"),
            (2 * 365 * day, "2y"),
        ] {
            assert_eq!(age(seconds), text);
        }
    }

    #[test]
    fn groups_and_bytes() {
        assert_eq!(grouped(1_234_567), "1,234,567");
        assert_eq!(grouped(12), "12");
        assert_eq!(bytes(512), "512 B");
        assert_eq!(bytes(3_500), "3.4 KiB");
        assert_eq!(bytes(1 << 30), "1.0 GiB");
        assert_eq!(count(1, "turn"), "1 turn");
        assert_eq!(count(2, "turn"), "2 turns");
    }
}
