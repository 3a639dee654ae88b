use super::*;

/// A view of a FEN's placement field, by a parser of its own.
fn view(placement: &str, completed_moves: u32) -> ChessView {
    let mut view = ChessView { white: 0, black: 0, officers: 0, completed_moves, krk: None };
    for (row, text) in placement.split('/').enumerate() {
        let mut file = 0;
        for symbol in text.chars() {
            if let Some(skip) = symbol.to_digit(10) {
                file += skip;
                continue;
            }
            let square = 1 << (8 * (7 - row as u32) + file);
            *if symbol.is_ascii_uppercase() { &mut view.white } else { &mut view.black } |= square;
            view.officers += u32::from("nbrq".contains(symbol.to_ascii_lowercase()));
            file += 1;
        }
    }
    view
}

fn features(view: ChessView) -> Features {
    Features { key: Some(10), view: View::Chess(view) }
}

/// Placement and mixedness by the classic, engine and current tables (`facts/crazyara.md` §4.1).
const WORKED: [(&str, [u32; 3]); 7] = [
    ("rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR", [0, 70, 0]),
    ("rnbqkbnr/pppp1ppp/8/4p3/4P3/8/PPPP1PPP/RNBQKBNR", [64, 126, 62]),
    ("r1bqkbnr/1ppp1ppp/p1n5/1B2p3/4P3/5N2/PPPP1PPP/RNBQK2R", [102, 157, 98]),
    ("rnbqkb1r/1p2pppp/p2p1n2/8/3NP3/2N5/PPP2PPP/R1BQKB1R", [95, 149, 95]),
    ("rnbq1rk1/ppp1bppp/4pn2/3p2B1/2PP4/2N1PN2/PP3PPP/R2QKB1R", [125, 173, 122]),
    ("r1bq1rk1/2p1bppp/p1np1n2/1p2p3/4P3/1BP2N1P/PP1P1PP1/RNBQR1K1", [125, 172, 123]),
    ("r1bq1rk1/pppnppbp/3p1np1/8/2PPP3/2N2N2/PP2BPPP/R1BQ1RK1", [107, 156, 107]),
];

#[test]
fn mixedness_gives_the_worked_values() {
    use MixednessTable::{Classic, Current, Engine};
    for (placement, expected) in WORKED {
        let view = view(placement, 0);
        let found =
            [Classic, Engine, Current].map(|table| mixedness(table, view.white, view.black));
        assert_eq!(found, expected, "{placement}");
    }
}

#[test]
fn the_engines_table_disagrees_with_the_training_data() {
    let phase = |spec: &str| {
        Gate::parse(spec, false).unwrap().phase(&features(view(WORKED[2].0, 3)), None).unwrap()
    };
    assert_eq!(["lichess", "lichess:classic", "lichess:current"].map(phase), [0; 3]);
    assert_eq!(phase("lichess:engine"), 1);
}

#[test]
fn canonical_specs_are_accepted_and_fixed() {
    for (given, canonical) in [
        ("none", "none"),
        ("lichess", "lichess:classic"),
        ("lichess:engine", "lichess:engine"),
        ("moves:3", "moves:3"),
        ("material", "material:10,6"),
        ("material:7", "material:7"),
        ("mixedness", "mixedness:50,150"),
        ("hash:20", "hash:20"),
        ("monotone:lichess", "monotone:lichess:classic"),
    ] {
        let gate = Gate::parse(given, false).unwrap();
        assert_eq!(gate.spec(), canonical);
        assert_eq!(Gate::parse(canonical, false).unwrap(), gate);
        assert_eq!(gate.names().len(), gate.num_phases());
        assert_eq!(gate.monotone(), given.starts_with("monotone"));
    }
    assert_eq!(
        Gate::parse("lichess", true).unwrap(),
        Gate::parse("monotone:lichess", false).unwrap()
    );
}

#[test]
fn what_is_outside_the_grammar_is_refused_with_the_grammar() {
    let long = (0..20).map(|i| i.to_string()).collect::<Vec<_>>().join(",");
    for spec in [
        "",
        " ",
        "lichess ",
        " lichess",
        "Lichess",
        "lichess:",
        "lichess:foo",
        "moves",
        "moves:",
        "moves:0",
        "moves:1",
        "moves:21",
        "moves:-3",
        "moves:+3",
        "moves:03",
        "moves:3.0",
        "moves:99999999999999999999",
        "hash:0",
        "hash:1",
        "hash:21",
        "hash",
        "none:",
        "none:1",
        "material:6,10",
        "material:6,6",
        "material:",
        "material:6,",
        "material:6, 4",
        "material:10000",
        "mixedness:150,50",
        "mixedness:5,5",
        "mixedness:a",
        "dtm:5,10",
        "dtm:",
        "box:9,9",
        "box:x",
        "monotone",
        "monotone:",
        "monotone:monotone:none",
        ":",
        "moves:3:4",
        "m\u{fc}",
        &format!("mixedness:{long}"),
    ] {
        let message = Gate::parse(spec, false).unwrap_err().to_string();
        assert!(message.contains(GRAMMAR), "{message}");
    }
    assert!(Gate::parse(&"x".repeat(100_000), false).unwrap_err().to_string().len() < 1000);
    let nineteen = (0..19).map(|i| i.to_string()).collect::<Vec<_>>().join(",");
    assert_eq!(Gate::parse(&format!("mixedness:{nineteen}"), false).unwrap().num_phases(), 20);
}

#[test]
fn names_say_the_ranges() {
    let names = |spec: &str| Gate::parse(spec, false).unwrap().names();
    assert_eq!(names("material"), ["over 10", "7–10", "up to 6"]);
    assert_eq!(names("material:3,2,0"), ["over 3", "3", "1–2", "0"]);
    assert_eq!(names("mixedness"), ["up to 50", "51–150", "over 150"]);
    assert_eq!(names("moves:3"), ["moves 1–14", "moves 15–28", "moves 29+"]);
    assert_eq!(names("hash:2"), ["part 0", "part 1"]);
    assert_eq!(names("none"), ["all"]);
}

#[test]
fn moves_spreads_the_average_game() {
    for (n, length) in [(2, 21), (3, 14), (4, 11), (5, 9), (20, 2)] {
        let gate = Gate::parse(&format!("moves:{n}"), false).unwrap();
        for completed in 0..300 {
            let expected = (completed / length).min(n - 1) as u8;
            let view = view(WORKED[0].0, completed);
            assert_eq!(gate.phase(&features(view), None).unwrap(), expected);
        }
    }
}

#[test]
fn thresholds_count_from_the_right_side() {
    let phase = |spec: &str, officers| {
        let view = ChessView { officers, ..view(WORKED[1].0, 0) };
        Gate::parse(spec, false).unwrap().phase(&features(view), None).unwrap()
    };
    assert_eq!([14, 11, 10, 7, 6, 0].map(|n| phase("material", n)), [0, 0, 1, 1, 2, 2]);
    assert_eq!(
        ["mixedness:64", "mixedness:63", "mixedness:10,20"].map(|s| phase(s, 14)),
        [0, 1, 2]
    );
}

#[test]
fn monotone_gates_never_go_back() {
    let gate = Gate::parse("hash:4", true).unwrap();
    let position = features(view(WORKED[0].0, 0));
    assert_eq!([None, Some(1), Some(3)].map(|p| gate.phase(&position, p).unwrap()), [2, 2, 3]);
    assert!(gate.phase(&position, Some(4)).is_err());
    let markov = Gate::parse("hash:4", false).unwrap();
    assert_eq!(markov.phase(&position, Some(3)).unwrap(), 2);
}

#[test]
fn gates_refuse_what_they_cannot_read() {
    let plain = Features { key: None, view: View::Plain };
    for spec in ["lichess", "moves:2", "material", "mixedness", "hash:2"] {
        assert!(Gate::parse(spec, false).unwrap().phase(&plain, None).is_err(), "{spec}");
    }
    assert_eq!(Gate::parse("none", false).unwrap().phase(&plain, None).unwrap(), 0);
    assert!(Gate::parse("lichess", false).unwrap().check_game("tictactoe").is_err());
    assert!(Gate::parse("hash:3", false).unwrap().check_game("tictactoe").is_ok());
    assert!(Gate::parse("lichess", false).unwrap().check_game("chess").is_ok());
}

#[test]
fn gates_of_the_rook_endgame_count_thresholds_reached() {
    let phase = |spec: &str, dtm: Option<u8>, room: u32| {
        let view = ChessView { krk: Some(KrkView { dtm, room }), ..view("8/8/8/8/8/8/8/8", 0) };
        Gate::parse(spec, false).unwrap().phase(&features(view), None).unwrap()
    };
    for (dtm, expected) in [(16, 0), (11, 0), (10, 1), (6, 1), (5, 2), (0, 2)] {
        assert_eq!(phase("dtm", Some(dtm), 0), expected);
    }
    assert_eq!((phase("dtm", None, 0), phase("dtm:12,8,4", None, 0)), (2, 3));
    for (room, expected) in [(64, 0), (21, 0), (20, 1), (10, 1), (9, 2), (1, 2)] {
        assert_eq!(phase("box", None, room), expected);
    }
    let names = |spec: &str| Gate::parse(spec, false).unwrap().names();
    assert_eq!(names("dtm"), ["over 10", "6–10", "up to 5"]);
    assert_eq!(names("box"), ["over 20", "10–20", "up to 9"]);
    for spec in ["dtm", "box"] {
        let gate = Gate::parse(spec, false).unwrap();
        assert!(gate.check_game("krk").is_ok() && gate.check_game("chess").is_err());
        let chess = features(view("8/8/8/8/8/8/8/8", 0));
        assert!(gate.phase(&chess, None).unwrap_err().to_string().contains("king and rook"));
    }
}

#[test]
fn gates_of_pommerman_count_thresholds_passed() {
    let phase = |spec: &str, step: u32, nearest: Option<u32>, living: u32| {
        let view = View::Pommerman(PommermanView { step, nearest, players: 4, living });
        let gate = Gate::parse_for("pommerman-ffa", spec, false).unwrap();
        gate.phase(&Features { key: None, view }, None).unwrap()
    };
    for (step, expected) in [(0, 0), (40, 0), (41, 1), (800, 1)] {
        assert_eq!(phase("steps", step, None, 4), expected);
    }
    for (distance, expected) in
        [(Some(20), 0), (Some(6), 0), (Some(5), 1), (Some(3), 1), (Some(2), 2)]
    {
        assert_eq!(phase("proximity", 0, distance, 4), expected);
        assert_eq!(phase("mixedness", 0, distance, 4), expected);
    }
    assert_eq!((phase("proximity", 0, None, 1), phase("mixedness:30", 0, None, 1)), (0, 1));
    for (living, expected) in [(4, 0), (3, 1), (2, 2), (1, 2), (0, 2)] {
        assert_eq!(phase("opponents", 0, None, living), expected);
    }
    let names = |spec: &str| Gate::parse(spec, false).unwrap().names();
    assert_eq!(names("steps:40,100"), ["up to 40", "41–100", "over 100"]);
    assert_eq!(names("proximity"), ["far", "near", "close"]);
    assert_eq!(names("proximity:9,6,3"), ["from 9", "6–8", "3–5", "under 3"]);
    assert!(Gate::parse_for("chess", "steps", false).is_err());
    assert!(Gate::parse_for("pommerman-ffa", "lichess", false).is_err());
    assert_eq!(Gate::parse_for("chess", "mixedness", false).unwrap().spec(), "mixedness:50,150");
}
