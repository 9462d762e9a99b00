//! Rating lists: rank, name, Elo with its error bar, games, score, draws.

use serde::Serialize;

use super::layout::{cells, columns, csv, decimals, shortened};
use super::svg::{INK, PALE, SvgDrawing, TextAnchor, label_width};
use crate::statistics::{PoolRow, PoolTable, WinDrawLoss};

/// A rating list, best first.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct RatingList {
    /// One row per player.
    pub rows: Vec<RatingRow>,
    /// The advantage of the first move, in Elo.
    pub first_move_elo: f64,
    /// Its error bar.
    pub first_move_interval: Option<[f64; 2]>,
    /// The share of draws between equal players.
    pub draw_rate: f64,
}

/// A player of a rating list.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct RatingRow {
    /// The rank, counted from 1; `None` without a rating.
    pub rank: Option<usize>,
    /// The player's name.
    pub name: String,
    /// Share of the points; `None` without games.
    pub score: Option<f64>,
    /// Share of drawn games; `None` without games.
    pub draws: Option<f64>,
    /// The rating and the games.
    #[serde(flatten)]
    pub rating: PoolRow,
}

impl RatingList {
    /// Builds the list of a rated pool; player `i` has the name `names[i]`.
    pub fn new(names: &[String], table: &PoolTable) -> RatingList {
        let row = |(place, rating): (usize, &PoolRow)| {
            let share = |part: f64| (rating.games > 0).then(|| part / rating.games as f64);
            RatingRow {
                rank: rating.elo.map(|_| place + 1),
                name: names[rating.player].clone(),
                score: share(rating.points),
                draws: share(rating.tally.draws as f64),
                rating: rating.clone(),
            }
        };
        RatingList {
            rows: table.rows.iter().enumerate().map(row).collect(),
            first_move_elo: table.first_move_elo,
            first_move_interval: table.first_move_interval,
            draw_rate: table.draw_rate,
        }
    }

    /// Formats an aligned table. `+` and `-` are the distances from Elo to the ends of its error
    /// bar, `?` where the games set no bound. `LOS vs next` is the likelihood of superiority over
    /// the next player.
    pub fn text(&self) -> String {
        let heading =
            ["#", "name", "Elo", "+", "-", "games", "score", "draws", "opponents", "LOS vs next"];
        let mut lines = vec![cells(heading)];
        lines.extend(self.rows.iter().map(RatingRow::line));
        let mut text = columns(&lines, 1..=1, 2);
        text.push_str(&format!("\nfirst move {}", signed(self.first_move_elo)));
        if let Some([low, high]) = self.first_move_interval {
            text.push_str(&format!(" ({} to {})", signed(low), signed(high)));
        }
        text.push_str(&format!(
            " Elo, draws between equal players {:.1} %\n",
            100.0 * self.draw_rate
        ));
        if self.rows.iter().any(|row| row.rank.is_none()) {
            text.push_str("no Elo: no games connect the player to the anchor\n");
        }
        text
    }

    /// The same as comma-separated values; an empty cell where there is no number.
    pub fn csv(&self) -> String {
        const HEADING: &str =
            "rank,name,elo,low,high,games,wins,draws,losses,points,score,opponents,superiority";
        let mut lines = vec![cells(HEADING.split(','))];
        for row in &self.rows {
            let number = |value: Option<f64>, digits| {
                value.map_or_else(String::new, |value| decimals(value, digits))
            };
            let rating = &row.rating;
            let WinDrawLoss { wins, draws, losses } = rating.tally;
            let mut line =
                vec![row.rank.map_or_else(String::new, |rank| rank.to_string()), row.name.clone()];
            line.extend([rating.elo, rating.low, rating.high].map(|elo| number(elo, 1)));
            line.extend([rating.games, wins, draws, losses].map(|count| count.to_string()));
            line.push(rating.points.to_string());
            line.push(number(row.score, 4));
            line.push(number(rating.opponents, 1));
            line.push(number(rating.superiority, 4));
            lines.push(line);
        }
        csv(&lines)
    }

    /// Draws the ratings as dots with error bars; an unbounded bar extends to the edge.
    pub fn svg(&self) -> String {
        const TITLE: &str = "Elo ratings with error bars";
        let ratings = self.rows.iter().map(|row| &row.rating);
        let elos = ratings.flat_map(|row| [row.elo, row.low, row.high]).flatten();
        let ends = elos.map(|elo| [elo; 2]).reduce(|a, b| [a[0].min(b[0]), a[1].max(b[1])]);
        let [low, high] = ends.unwrap_or_default();
        let step = tick_step((high - low).max(10.0));
        let (low, high) = ((low / step - 0.2).floor() * step, (high / step + 0.2).ceil() * step);
        let names = self.rows.iter().map(|row| label_width(&row.name)).fold(0.0, f64::max);
        let left = MARGIN + names + 12.0;
        let bottom = TOP + ROW * self.rows.len() as f64;
        let x = |elo: f64| left + PLOT * (elo - low) / (high - low);
        // The label to the right of the plot: `1234 +56 −78`.
        let mut drawing = SvgDrawing::new(left + PLOT + 130.0 + MARGIN, bottom + 40.0, TITLE);
        drawing.text(MARGIN, 24.0, TextAnchor::Start, INK, TITLE);
        for tick in 0..=((high - low) / step).round() as usize {
            let elo = low + step * tick as f64;
            drawing.line([x(elo), TOP, x(elo), bottom], PALE);
            drawing.text(x(elo), bottom + 20.0, TextAnchor::Middle, INK, &decimals(elo, 0));
        }
        for (number, row) in self.rows.iter().enumerate() {
            let y = TOP + ROW * (number as f64 + 0.5);
            drawing.text(left - 12.0, y + 4.5, TextAnchor::End, INK, &row.name);
            let mut label = "no rating".to_string();
            if let Some(elo) = row.rating.elo {
                for (end, open) in [(row.rating.low, low), (row.rating.high, high)] {
                    drawing.line([x(elo), y, x(end.unwrap_or(open)), y], BAR);
                    if let Some(end) = end {
                        drawing.line([x(end), y - 5.0, x(end), y + 5.0], BAR);
                    }
                }
                drawing.dot(x(elo), y, BAR);
                let line = row.line();
                label = format!("{} +{} −{}", line[2], line[3], line[4]);
            }
            drawing.text(left + PLOT + 10.0, y + 4.5, TextAnchor::Start, INK, &label);
        }
        drawing.finish()
    }
}

const ROW: f64 = 26.0;
const TOP: f64 = 44.0;
const PLOT: f64 = 520.0;
const MARGIN: f64 = 16.0;
const BAR: &str = "#2f6fab";

impl RatingRow {
    fn line(&self) -> Vec<String> {
        let none = || "-".to_string();
        let PoolRow { elo, low, high, games, opponents, superiority, .. } = self.rating;
        let whole = |elo: Option<f64>| elo.map_or_else(none, |elo| decimals(elo, 0));
        let distance = |end: Option<f64>| match (elo, end) {
            (None, _) => none(),
            (Some(_), None) => "?".to_string(),
            (Some(elo), Some(end)) => format!("{:.0}", (end - elo).abs()),
        };
        let percent =
            |share: Option<f64>| share.map_or_else(none, |s| format!("{:.1} %", 100.0 * s));
        vec![
            self.rank.map_or_else(none, |rank| rank.to_string()),
            shortened(&self.name, 36),
            whole(elo),
            distance(high),
            distance(low),
            games.to_string(),
            percent(self.score),
            percent(self.draws),
            whole(opponents),
            percent(superiority),
        ]
    }
}

/// Formats a rounded number with its sign, and never as −0.
fn signed(elo: f64) -> String {
    format!("{:+.0}", elo.round() + 0.0)
}

/// The distance between ticks: 1, 2 or 5 times a power of ten, for about eight ticks.
fn tick_step(range: f64) -> f64 {
    let rough = range / 8.0;
    let power = 10f64.powf(rough.log10().floor());
    [1.0, 2.0, 5.0, 10.0]
        .map(|by| by * power)
        .into_iter()
        .find(|step| *step >= rough)
        .unwrap_or(rough)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::svg::tests::check;

    fn row(
        player: usize,
        elo: Option<f64>,
        low: Option<f64>,
        high: Option<f64>,
        tally: [u64; 3],
    ) -> PoolRow {
        let tally = WinDrawLoss { wins: tally[0], draws: tally[1], losses: tally[2] };
        PoolRow {
            player,
            elo,
            low,
            high,
            superiority: elo.filter(|elo| *elo > 0.0).map(|_| 0.9876),
            opponents: elo.map(|elo| -elo / 2.0),
            tally,
            games: tally.games(),
            points: tally.points(),
        }
    }

    fn list() -> RatingList {
        let table = PoolTable {
            rows: vec![
                row(2, Some(312.4), Some(251.0), None, [20, 0, 0]),
                row(0, Some(0.0), Some(0.0), Some(0.0), [5, 4, 11]),
                row(1, Some(-88.6), Some(-160.2), Some(-30.9), [3, 4, 13]),
                row(3, None, None, None, [0, 0, 0]),
            ],
            first_move_elo: 31.2,
            first_move_interval: Some([12.0, 50.7]),
            draw: 0.5,
            draw_rate: 0.2,
            games: 30,
            pairs: 15,
        };
        let names = ["anchor", "a, <b>", "strong & long", "idle"].map(String::from);
        RatingList::new(&names, &table)
    }

    #[test]
    fn text() {
        let expected = "\
#  name           Elo   +   -  games    score   draws  opponents  LOS vs next
1  strong & long  312   ?  61     20  100.0 %   0.0 %       -156       98.8 %
2  anchor           0   0   0     20   35.0 %  20.0 %          0            -
3  a, <b>         -89  58  72     20   25.0 %  20.0 %         44            -
-  idle             -   -   -      0        -       -          -            -

first move +31 (+12 to +51) Elo, draws between equal players 20.0 %
no Elo: no games connect the player to the anchor
";
        assert_eq!(list().text(), expected);
    }

    #[test]
    fn csv() {
        let expected = "\
rank,name,elo,low,high,games,wins,draws,losses,points,score,opponents,superiority
1,strong & long,312.4,251.0,,20,20,0,0,20,1.0000,-156.2,0.9876
2,anchor,0.0,0.0,0.0,20,5,4,11,7,0.3500,0.0,
3,\"a, <b>\",-88.6,-160.2,-30.9,20,3,4,13,5,0.2500,44.3,
,idle,,,,0,0,0,0,0,,,
";
        assert_eq!(list().csv(), expected);
    }

    #[test]
    fn pictures_name_all_players() {
        let svg = list().svg();
        check(&svg);
        for name in
            ["anchor", "a, &lt;b&gt;", "strong &amp; long", "idle", "no rating", "312 +? −61"]
        {
            assert!(svg.contains(&format!(">{name}</text>")), "{name}\n{svg}");
        }
        let empty = RatingList { rows: Vec::new(), ..list() };
        check(&empty.svg());
    }

    #[test]
    fn json_has_what_the_text_has() {
        let json = serde_json::to_value(list()).unwrap();
        assert_eq!(json["rows"][0]["name"], "strong & long");
        assert_eq!(json["rows"][0]["elo"], 312.4);
        assert!(json["rows"][0]["high"].is_null() && json["rows"][3]["rank"].is_null());
    }

    #[test]
    fn ticks_are_round() {
        for (range, step) in [(10.0, 2.0), (100.0, 20.0), (770.0, 100.0), (4000.0, 500.0)] {
            assert!((tick_step(range) - step).abs() < 1e-9, "{range}: {}", tick_step(range));
        }
    }
}
