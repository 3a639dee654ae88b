use std::io::Write;

use crate::games::{Atomic, BoardState, Chess, Chess960, Crazyhouse, Krk, PackedMove, Rules};
use proptest::prelude::*;

use super::game::shown;
use super::*;

fn options() -> Options {
    Options { max_named: 100, ..Options::default() }
}

/// Every game that PGN holds.
const KINDS: [Kind; 5] = [
    Kind::of::<Chess>(),
    Kind::of::<Chess960>(),
    Kind::of::<Atomic>(),
    Kind::of::<Crazyhouse>(),
    Kind::of::<Krk>(),
];

fn importer(options: &Options) -> Importer {
    Importer::new(options.clone(), &KINDS).unwrap()
}

/// The games of chess alone.
fn finish(importer: Importer) -> (Columns, Report) {
    let (kept, report) = importer.finish();
    let chess = kept.into_iter().find(|kept| kept.game == "chess");
    (chess.map(|kept| kept.columns).unwrap_or_default(), report)
}

fn import(text: &str, options: &Options) -> (Columns, Report) {
    let mut importer = importer(options);
    importer.read_text(text.as_bytes()).unwrap();
    finish(importer)
}

/// The one game's moves in UCI, or why it was skipped.
fn one(text: &str) -> std::result::Result<String, (SkipReason, u64)> {
    let (columns, report) = import(text, &options());
    if let Some(skipped) = report.named.first() {
        assert_eq!(report.games, 1);
        return Err((skipped.reason, skipped.line));
    }
    assert_eq!(columns.result.len(), 1, "{text}");
    let mut state = BoardState::<Chess>::initial();
    let uci = |&action: &u16| {
        let m = state.move_of(action.into()).unwrap();
        let packed = PackedMove::pack(m, Chess::MODE).to_string();
        state.play_move(m);
        packed
    };
    Ok(columns.actions.iter().map(uci).collect::<Vec<_>>().join(" "))
}

#[test]
fn comments_glyphs_and_variations_are_dropped() {
    let text = "1. e4! {the [best\n\n( } (1. d4 d5 (1... Nf6 {x} 2. c4) 2. c4) 1... e5 $1 ; so 2. d4 \n\
                % 2. c3\n2.Nf3 Nc6 3. Bb5 a6?! 4. O-O h5 5. Bxa6 *";
    let text = text.replace(" *", " 1-0");
    assert_eq!(one(&text).unwrap(), "e2e4 e7e5 g1f3 b8c6 f1b5 a7a6 e1g1 h7h5 b5a6");
}

#[test]
fn empty_lines_inside_moves_do_not_end_a_game() {
    let text = "[Event \"x\"]\n\n1. e4\n\ne5 \r\n\r\n2. Nf3 1/2-1/2\n\n\n";
    assert_eq!(one(text).unwrap(), "e2e4 e7e5 g1f3");
}

#[test]
fn promotions_en_passant_and_lenient_captures_are_read() {
    let text = "1. e4 a6 2. e5 d5 3. exd6 e.p. a5 4. dc7 Ra6 5. cxb8=Q Rg6 6. Qc8 Rxg2 1-0";
    assert_eq!(
        one(text).unwrap(),
        "e2e4 a7a6 e4e5 d7d5 e5d6 a6a5 d6c7 a8a6 c7b8q a6g6 b8c8 g6g2",
        "dc7 and Qc8 take without saying so"
    );
    let text = "1. e4 a6 2. e5 d5 3. exd6 a5 4. dxc7 Ra6 5. cxb8=N Rg6 6. a4 Rg2 0-1";
    assert!(one(text).unwrap().ends_with("c7b8n a6g6 a2a4 g6g2"));
}

#[test]
fn reasons_and_lines_are_right() {
    use SkipReason::*;
    for (text, reason, line) in [
        ("\n\n[Event \"a\"]\n\n1. e4 e5 2. Ke3 1-0\n", IllegalMove, 3),
        (
            "1. Nf3 Nf6 2. Nc3 Nc6 3. Nd4 Rg8 4. Ne4 a6 5. Ng3 a5 6. Nf5 a4 7. N3d4 1-0",
            IllegalMove,
            1,
        ),
        ("[FEN \"8/8/8/8/8/8/8/8 w - - 0 1\"]\n\n1. e4 1-0", InvalidFen, 1),
        ("[Variant \"Bughouse\"]\n\n1. e4 1-0", UnknownVariant, 1),
        ("1. e4 e5 2. N@f3 1-0", IllegalMove, 1),
        ("1. e4 e5 *", NoResult, 1),
        ("[Result \"1-0\"]\n\n1. e4 0-1", ResultsDiffer, 1),
        ("[Result \"1-0\"]\n\n1. e4 *", ResultsDiffer, 1),
        ("[Result \"1-0\"]\n\n1-0", NoMoves, 1),
        ("1. e4 {open", Unreadable, 1),
        ("[Result \"1-0\"]\n\n1. e4 e5 (2. d4 d6\n\n", Unreadable, 1),
        ("1. e4 e5 2. d4) d6 1-0", Unreadable, 1),
        ("1. e4 e5 } 2. d4 d6 1-0", Unreadable, 1),
        ("(1. d4) 1. e4 e5 1-0", Unreadable, 1),
        ("1. e4 e5 1-0 2. d4", Unreadable, 1),
        ("1-0 1. e4 e5", Unreadable, 1),
        ("2. Nf3 Nc6 1-0", Unreadable, 1),
        ("[FEN 8/8/8]\n\n1. e4 e5 1-0", Unreadable, 1),
        ("1. e4 e5 1-0 0-1", ResultsDiffer, 1),
        ("1. e4 -- 2. d4 1-0", NullMove, 1),
        ("1. e4 2... Z0 2. d4 1-0", NullMove, 1),
        ("no chess here", NotAMove, 1),
        ("1. e4 e5 2. N 1-0", NotAMove, 1),
        ("1. e4 e5 2. Nf Nc6 1-0", NotAMove, 1),
        ("1. e4 e5 [x] 2. Nf3 1-0", NotAMove, 1),
        ("1. e4 e5\n[x y\n2. Nf3 1-0", NotAMove, 1),
        ("1. e4 e5 2. Nf3 Nc6 3. Sb5 1-0", NotAMove, 1),
    ] {
        let found = one(text);
        assert_eq!(found, Err((reason, line)), "{text:?}");
    }
}

#[test]
fn moves_are_read_in_every_notation() {
    let text = "1. e2-e4 a7a6 2. Ng1-f3 h5 3. ♗c4+? Nb8-c6!? 4. 0-0 b5!! 5. Bb3 b5-b4 6. a3++ bxa3 \
                7. Ra1xa3 h4 $1 8. c3 h3+# 9. d4= hxg2 +- 10. d4d5 gxf1Q+ 11. Kg1xf1 1-0";
    assert_eq!(
        one(text).unwrap(),
        "e2e4 a7a6 g1f3 h7h5 f1c4 b8c6 e1g1 b7b5 c4b3 b5b4 a2a3 b4a3 a1a3 h5h4 c2c3 h4h3 d2d4 h3g2 \
         d4d5 g2f1q g1f1"
    );
}

#[test]
fn the_last_game_is_a_game_like_any_other() {
    let text = "[Event \"a\"]\n[Result \"1-0\"]\n\n1. e4 e5";
    assert_eq!(one(text).unwrap(), "e2e4 e7e5");
    let (columns, report) = import(&format!("{text}\n\n{text}\n\n{text}"), &options());
    assert_eq!((columns.result.as_slice(), report.games), (&[1, 1, 1][..], 3));
}

#[test]
fn tags_in_the_midst_of_moves_refuse_what_stands_before_them() {
    let text = "[Event \"a\"]\n[Result \"1-0\"]\n\n1. e4 e5\n[White \"x\"]\n2. Nf3 1-0\n";
    let (columns, report) = import(text, &options());
    assert_eq!(columns.result.len(), 0);
    let reasons: Vec<_> = report.named.iter().map(|skipped| skipped.reason).collect();
    assert_eq!(reasons, [SkipReason::Unfinished, SkipReason::Unreadable], "the other begins at 2");
    let (columns, _) = import(&text.replace("2. Nf3", "1. Nf3"), &options());
    assert_eq!(columns.result.len(), 1, "the other begins with its own tags");
}

#[test]
fn text_around_games_is_no_game() {
    let text = "% written by a program\n; so\n{and so}\n[Event \"a\"]\n\n1. e4 1-0\n\n% end\n\x1a";
    let (columns, report) = import(text, &options());
    assert_eq!((columns.result.len(), report.games), (1, 1));
}

#[test]
fn games_without_tags_may_follow_line_by_line() {
    let (columns, report) =
        import("1. e4 1-0\n1. d4 x5 0-1\n1.c4 c5 1/2-1/2 1. Nf3 0-1", &options());
    assert_eq!(columns.result, [1, 0, -1]);
    assert_eq!(columns.offsets, [0, 1, 3, 4]);
    assert_eq!(report.skipped.into_iter().collect::<Vec<_>>(), [(SkipReason::NotAMove, 1)]);
}

#[test]
fn move_number_0_of_a_start_is_1() {
    let text = "[FEN \"4k3/8/8/8/8/8/4P3/4K3 w - - 5 0\"]\n\n1. e4 1-0";
    let (columns, _) = import(text, &options());
    assert_eq!(columns.start_fens, [(0, "4k3/8/8/8/8/8/4P3/4K3 w - - 5 1".to_string())]);
}

#[test]
fn salvage_keeps_the_moves_before_a_fault_and_marks_them() {
    let options = Options { salvage: true, ..options() };
    let text = "1. e4 e5 1-0\n\n1. e4 e5 2. Nf 1-0\n\n1. e4 e4 0-1\n\nhello 1-0\n\n1. e4 -- 1/2-1/2\n\n\
                [Result \"0-1\"]\n\n1. e4 d5 {never closed";
    let (columns, report) = import(text, &options);
    assert_eq!(columns.result, [1, 1, -1, 0, -1]);
    assert_eq!(columns.offsets, [0, 2, 4, 5, 6, 8]);
    assert_eq!(columns.salvaged, [false, true, true, true, true]);
    assert_eq!(report.skipped.into_iter().collect::<Vec<_>>(), [(SkipReason::NotAMove, 1)]);
}

#[test]
fn a_comment_that_is_never_closed_makes_no_game_of_two() {
    let rest = "\n\n1. d4 {x} e5 0-1\n\n[Event \"c\"]\n\n1. c4 1-0\n";
    for (open, next) in [
        ("[Event \"a\"]\n\n1. e4 {open e5 1-0", "\n  [Event \"b\"]"),
        ("[Event \"a\"]\n\n1. e4 {open e5 1-0", "\n; hello\n\t[Event \"b\"]"),
        ("[Event \"a\"]\n\n1. e4 {open e5 1-0", "\n% hello\n[pgn][Event \"b\"]"),
        ("[Event \"a\"]\n\n1. e4 {open e5 1-0", "[White \"b\"]"),
        ("[Event \"a\"]\n\n1. e4 (d4 e5 1-0", " [Event\"b\"]"),
        ("1. e4 {open e5 1-0", ""),
        ("1. e4 (d4 e5 1-0", ""),
    ] {
        let (columns, report) = import(&format!("{open}\n{next}{rest}"), &options());
        assert_eq!(columns.result, [-1, 1], "{open} {next}");
        let messages: Vec<_> = report.named.iter().map(|each| each.message.as_str()).collect();
        assert!(matches!(messages[..], [each] if each.ends_with("never closed")), "{messages:?}");
    }
    let torn = "[Event \"a\"]\n[FEN \"4k3/8/8/8/8/8/4P3/4K3 w - - 0 1\"]\n{open\n[Site \"s\"]\n\n\
                1. e4 {x} 1-0\n\n[Event \"c\"]\n\n1. c4 1-0\n";
    let (columns, report) = import(torn, &options());
    assert_eq!((columns.result.len(), report.games, report.named.len()), (1, 2, 1));
    assert_eq!(report.named[0].line, 1);
}

#[test]
fn one_bad_game_does_not_touch_its_neighbours() {
    let text = "[Event \"a\"]\n[White \"A\"]\n[Result \"1-0\"]\n\n1. e4 1-0\n\n\
                [Event \"b\"]\n[White \"B\"]\n[Date \"2020.01.??\"]\n\n1. e4 e4 {open\n\n\
                [Event \"c\"]\n[Result \"0-1\"]\n\n1. d4 d5\n\n\
                [Event \"d\"]\n\n1. c4 c5 1/2-1/2\n";
    let (columns, report) = import(text, &options());
    assert_eq!(columns.result, [1, -1, 0]);
    assert_eq!(columns.offsets, [0, 1, 3, 5]);
    assert_eq!((report.games, report.skipped.len()), (4, 1));
    let skipped = &report.named[0];
    assert_eq!((skipped.line, skipped.title.as_str()), (7, "B – ?, b, 2020.01.??"));
    assert!(skipped.message.contains("1... e4"), "{}", skipped.message);
}

#[test]
fn ratings_dates_and_start_positions_are_kept() {
    let text = "[Date \"????.??.??\"]\n[UTCDate \"2021.02.03\"]\n[WhiteElo \"2400\"]\n[BlackElo \"?\"]\n\
                [SetUp \"1\"]\n[FEN \"4k3/8/8/8/8/8/4P3/4K3 b - - 5 30\"]\n\n1... Kd7 2. e4 1-0\n\n\
                [FEN \"rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1\"]\n\n1. e4 1-0\n";
    let (columns, _) = import(text, &options());
    assert_eq!(columns.start_fens, [(0, "4k3/8/8/8/8/8/4P3/4K3 b - - 5 30".to_string())]);
    assert_eq!(
        (columns.white_elo.as_slice(), columns.black_elo.as_slice()),
        (&[2400, 0][..], &[0, 0][..])
    );
    assert_eq!(columns.dates, [*b"2021.02.03", [0; 10]]);
}

#[test]
fn options_choose_games() {
    let game = |elo: u32, moves: &str| {
        format!("[WhiteElo \"{elo}\"]\n[BlackElo \"2000\"]\n\n{moves} 1-0\n\n")
    };
    let text =
        game(2100, "1. e4") + &game(1900, "1. e4 e5") + &game(2100, "1. e4 e5") + "1. e4 e5 1-0\n";
    let kept = |change: fn(&mut Options)| {
        let mut options = options();
        change(&mut options);
        let (columns, report) = import(&text, &options);
        (columns.result.len(), report.skipped.into_iter().collect::<Vec<_>>())
    };
    assert_eq!(kept(|_| ()), (4, vec![]));
    assert_eq!(kept(|o| o.min_plies = 2), (3, vec![(SkipReason::TooShort, 1)]));
    assert_eq!(kept(|o| o.min_rating = Some(2000)), (2, vec![(SkipReason::LowRating, 2)]));
    assert_eq!(kept(|o| o.deduplicate = true), (2, vec![(SkipReason::Duplicate, 2)]));
}

/// The name of a game, how many games of it there are, and their actions.
type Found = (&'static str, usize, Vec<u16>);

/// What is kept of `text`.
fn kept(text: &str, options: &Options) -> (Vec<Found>, Report) {
    let mut importer = importer(options);
    importer.read_text(text.as_bytes()).unwrap();
    let (kept, report) = importer.finish();
    let summary = |kept: Kept| (kept.game, kept.columns.len(), kept.columns.actions);
    (kept.into_iter().map(summary).collect(), report)
}

const MIXED: &str = "[Variant \"Atomic\"]\n\n1. Nf3 f6 2. Nd4 a6 3. Ne6 a5 4. Nxd8# 1-0\n\n\
    [Variant \"crazyhouse\"]\n\n1. e4 d5 2. exd5 Qxd5 3. @e4 Qxe4+ 4. Be2 P@d3 5. cxd3 1-0\n\n\
    [Variant \"Standard\"]\n\n1. e4 1-0\n\n\
    [Variant \"From Position\"]\n[FEN \"8/8/8/4k3/8/8/8/K6R w - - 0 1\"]\n\n1. Rh5+ 1-0\n\n\
    [Variant \"Chess960\"]\n[SetUp \"1\"]\n[FEN \"bqnbrkrn/pppppppp/8/8/8/8/PPPPPPPP/BQNBRKRN w KQkq - 0 1\"]\n\n\
    1. O-O O-O 1/2-1/2\n\n\
    [Variant \"Chess960\"]\n[FEN \"bqnbrkrn/pppppppp/8/8/8/8/PPPPPPPP/BQNBRKRN w GEge - 0 1\"]\n\n\
    1. O-O 0-1\n\n[Variant \"Three-check\"]\n\n1. e4 1-0\n";

#[test]
fn every_variant_gets_columns_of_its_own() {
    let (found, report) = kept(MIXED, &options());
    let games: Vec<_> = found.iter().map(|(game, games, _)| (*game, *games)).collect();
    assert_eq!(games, [("chess", 2), ("chess960", 2), ("atomic", 1), ("crazyhouse", 1)]);
    assert_eq!((report.games, report.skipped[&SkipReason::UnknownVariant]), (7, 1));
    let unknown = &report.variants["\"Three-check\""];
    assert_eq!((unknown.games, unknown.skipped.values().sum::<u64>()), (1, 1));
    assert_eq!(report.variants["chess960"].games, 2);
    // King takes rook beside it: one step to the east from f1, for Black as Black sees it.
    assert_eq!(found[1].2, [14 * 64 + 5, 14 * 64 + 5, 14 * 64 + 5]);
    // Drops of pawns on e4, and on d3 as Black sees it.
    let drop = |square: u16| 73 * 64 + square;
    let actions = &found[3].2;
    assert_eq!((actions[4], actions[7]), (drop(28), drop(43)));
}

#[test]
fn one_game_alone_may_be_asked_for() {
    use SkipReason::{IllegalMove, OtherVariant, UnknownVariant};
    let only = |game: &str| {
        let (found, report) = kept(MIXED, &Options { game: Some(game.into()), ..options() });
        let skipped: Vec<_> = report.skipped.into_iter().collect();
        (found.into_iter().map(|(game, games, _)| (game, games)).collect::<Vec<_>>(), skipped)
    };
    assert_eq!(only("atomic"), (vec![("atomic", 1)], vec![(OtherVariant, 5), (UnknownVariant, 1)]));
    // The endgame is chess to everyone else; what starts otherwise is none of it.
    let (found, skipped) = only("krk");
    assert_eq!(found, [("krk", 1)]);
    assert!(skipped.contains(&(IllegalMove, 1)), "1. e4 from where this endgame starts");
    assert!(Importer::new(Options { game: Some("go".into()), ..options() }, &KINDS).is_err());
}

#[test]
fn a_move_of_the_pocket_needs_the_piece_and_an_empty_square() {
    for (moves, legal) in [
        ("1. e4 d5 2. exd5 Qxd5 3. P@e4", true),
        ("1. e4 d5 2. exd5 Qxd5 3. p@e4", true),
        ("1. e4 d5 2. exd5 Qxd5 3. N@e4", false),
        ("1. e4 d5 2. exd5 Qxd5 3. P@d5", false),
        ("1. e4 d5 2. exd5 Qxd5 3. P@e8", false),
        ("1. P@e4", false),
    ] {
        let (found, _) = kept(&format!("[Variant \"Crazyhouse\"]\n\n{moves} 1-0"), &options());
        assert_eq!(!found.is_empty(), legal, "{moves}");
    }
}

#[test]
fn games_are_chosen_by_termination_and_month() {
    let game = |termination: &str, date: &str| {
        format!("[Termination \"{termination}\"]\n[UTCDate \"{date}\"]\n\n1. e4 1-0\n\n")
    };
    let text = game("Normal", "2020.01.31")
        + &game("Time forfeit", "2020.02.01")
        + &game("normal", "2020.??.??")
        + &game("Abandoned", "????.??.??")
        + "1. d4 1-0\n";
    let count = |change: fn(&mut Options)| {
        let mut options = options();
        change(&mut options);
        let (columns, report) = import(&text, &options);
        (columns.len(), report.skipped.into_iter().collect::<Vec<_>>())
    };
    let january = Month::parse("2020-01");
    assert!(january.is_some());
    assert_eq!(
        count(|o| o.termination = Some("NORMAL".into())),
        (2, vec![(SkipReason::Termination, 3)])
    );
    assert_eq!(count(|o| o.from = Month::parse("2020-01")), (3, vec![(SkipReason::Month, 2)]));
    assert_eq!(count(|o| o.from = Month::parse("2020-02")), (1, vec![(SkipReason::Month, 4)]));
    assert_eq!(count(|o| o.to = Month::parse("2020-01")), (1, vec![(SkipReason::Month, 4)]));
    assert_eq!(count(|o| o.to = Month::parse("2020-12")), (3, vec![(SkipReason::Month, 2)]));
}

#[test]
fn the_best_players_are_found_among_all_games_that_can_be_read() {
    use SkipReason::{NotTopPlayers, TooShort};
    let game = |white: (&str, u32), black: (&str, u32), moves: &str| {
        format!(
            "[White \"{}\"]\n[Black \"{}\"]\n[WhiteElo \"{}\"]\n[BlackElo \"{}\"]\n\n{moves} 1-0\n\n",
            white.0, black.0, white.1, black.1
        )
    };
    // Means: a 2500, b 2400, c 2300 by the game that is too short, d 1500.
    let text = game(("a", 2500), ("b", 2400), "1. e4 e5")
        + &game(("a", 2500), ("c", 2100), "1. d4 d5")
        + &game(("c", 2500), ("d", 1500), "1. c4")
        + &game(("b", 2400), ("a", 2500), "1. Nf3 Nf6")
        + "1. a3 a6 1-0\n";
    let options = Options { top_players: Some(0.5), min_plies: 2, ..options() };
    let mut importer = importer(&options);
    importer.read_text(text.as_bytes()).unwrap();
    let (kept, report) = importer.finish();
    let columns = &kept[0].columns;
    assert_eq!(kept[0].top, Some(Top { rating: 2400.0, best: 2, players: 4 }));
    assert_eq!((columns.len(), columns.offsets.as_slice()), (2, &[0, 2, 4][..]));
    let name = |index: i32| columns.names[index as usize].as_str();
    let players: Vec<_> = columns.players.iter().map(|seats| seats.map(name)).collect();
    assert_eq!(players, [["a", "b"], ["b", "a"]]);
    assert_eq!((columns.white_elo[1], columns.black_elo[1]), (2400, 2500));
    let skipped: Vec<_> = report.skipped.into_iter().collect();
    assert_eq!(skipped, [(TooShort, 1), (NotTopPlayers, 2)]);
}

#[test]
fn a_start_that_only_one_game_has_says_which_game_it_is() {
    use SkipReason::{InvalidFen, OtherVariant};
    let start =
        "[FEN \"nrbqkbrn/pppppppp/8/8/8/8/PPPPPPPP/NRBQKBRN w KQkq - 0 1\"]\n\n1. d4 d5 1-0\n\n";
    let read = |text: &str, game: Option<&str>| {
        let (found, report) = kept(text, &Options { game: game.map(Into::into), ..options() });
        (found.into_iter().map(|(game, games, _)| (game, games)).collect::<Vec<_>>(), report)
    };
    for game in [None, Some("chess960")] {
        let (found, report) = read(&start.repeat(2), game);
        assert_eq!(found, [("chess960", 2)]);
        assert_eq!(report.assumed["chess960"], Noted { games: 2, file: 0, line: 1 });
    }
    let (found, report) = read(start, Some("chess"));
    assert_eq!((found.len(), report.named[0].reason), (0, OtherVariant));
    assert!(report.named[0].message.contains("--game chess960"), "{}", report.named[0].message);
    for variant in ["Atomic", "Standard"] {
        let (found, report) = read(&format!("[Variant \"{variant}\"]\n{start}"), None);
        assert_eq!((found.len(), report.named[0].reason), (0, InvalidFen));
        assert!(report.named[0].message.contains("a start of chess960"));
    }
    let (found, report) = read(&format!("[Variant \"Chess960\"]\n{start}"), None);
    assert_eq!((found, report.assumed.len()), (vec![("chess960", 1)], 0));
}

#[test]
fn where_the_moves_begin_is_never_guessed() {
    use SkipReason::Unreadable;
    for (tags, moves, expected) in [
        ("[SetUp \"1\"]", "12. e4 e5", Err((Unreadable, 1))),
        ("[SetUp \"1\"]\n[FEN \" \"]", "12. e4 e5", Err((Unreadable, 1))),
        ("[White \"x\"]", "2... e4 e5", Err((Unreadable, 1))),
        ("[SetUp \"1\"]", "1. e4 e5", Ok("e2e4 e7e5".to_string())),
        ("[FEN \"\"]", "e4 e5 2. d4", Ok("e2e4 e7e5 d2d4".to_string())),
        ("[FEN \"a\"]\n[fen \"b\"]", "1. e4 e5", Err((Unreadable, 1))),
        ("[White \"x\"]", "2012 1. e4 e5", Err((SkipReason::NotAMove, 1))),
        ("[SetUp \"1\"]", "1... e4 e5", Err((Unreadable, 1))),
        ("[White \"x\"]", "1. ... e4 e5", Err((Unreadable, 1))),
        ("[FEN \"4k3/8/8/8/8/8/4P3/4K3 w - - 0 1\"]", "1... e4 Kd7", Err((Unreadable, 1))),
    ] {
        assert_eq!(one(&format!("{tags}\n\n{moves} 1-0")), expected, "{tags} {moves}");
    }
}

/// Faults among the tags of an atomic game, each of which leaves the tag of its variant unread, or the
/// tags behind the fault to another game.
const AMONG_TAGS: [&str; 22] = [
    "http://example.org/a",
    "some text of any kind",
    "]",
    "*",
    "1-0",
    "1. e4",
    "\"Black\" \"x\"]",
    "[Site \"x\"]]",
    "[Site \"x\"] 1-0",
    "hello [Site \"x\"]",
    "![Site \"x\"]",
    "[Site \"x\"*]",
    "[Site \"x\"0-1\n]",
    "[Site\nx y 1-0",
    "] [/pgn]",
    "] [Site \"x\"]\n] [/pgn] 1-0",
    "]\n[pgn][Site \"x\"]",
    "\u{200b}\nhello\n\u{200b}",
    "hello\n",
    "\nhello\n",
    "0-1\n",
    "1/2-1/2 ; a comment",
];

#[test]
fn results_end_games_however_they_are_written() {
    for (plain, others) in
        [("1-0", ["1–0", "1‑0"]), ("0-1", ["0–1", "0−1"]), ("1/2-1/2", ["½-½", "½–½"])]
    {
        for text in [
            "1. e4 e5 RESULT\n1. d4 d5 RESULT\n",
            "1. e4 e5 { not closed RESULT\n1. d4 d5 RESULT\n",
            "[White \"a\"]\n1. e4 e5 RESULT\n\nhello\n\n[White \"b\"]\n1. d4 d5 RESULT\n",
            "[White \"a\"]\n1. e4 e5 RESULT\n[White \"b\"]\n1. d4 d5 RESULT\n",
            "1. e4 e5 { not closed RESULT\n\n[White \"b\"]\n\n1. d4 d5 RESULT\n",
        ] {
            let read = |result| {
                let (columns, report) = import(&text.replace("RESULT", result), &options());
                (columns.result, report.games, report.skipped)
            };
            assert!(read(plain).1 >= 2, "{text}");
            for other in others {
                assert_eq!(read(other), read(plain), "{text} {other}");
            }
        }
    }
}

#[test]
fn text_among_tags_costs_its_game_and_no_other() {
    for fault in AMONG_TAGS {
        for tags in [
            format!("[Variant \"Atomic\"]\n{fault}\n[White \"W\"]"),
            format!("{fault}\n[Variant \"Atomic\"]\n[White \"W\"]"),
            format!("[Variant\n\"Atomic\"]\n{fault}\n[White\n\"W\"\n]"),
        ] {
            let text =
                format!("{GAME}[Event \"b\"]\n{tags}\n[Result \"1-0\"]\n\n1. e4 e5 1-0\n\n{GAME}");
            for salvage in [false, true] {
                let (found, report) = kept(&text, &Options { salvage, ..options() });
                let found: Vec<_> = found.iter().map(|(game, games, _)| (*game, *games)).collect();
                assert_eq!(found, [("chess", 2)], "{text}");
                let lines: Vec<u64> = report.named.iter().map(|skipped| skipped.line).collect();
                assert_eq!((report.games, lines), (3, vec![6]), "{text}");
            }
            let (openings, skipped) = read_openings(text.as_bytes(), "atomic", None, &KINDS);
            assert_eq!((openings.len(), skipped.len()), (2, 1), "{text}");
        }
    }
}

#[test]
fn tags_are_read_over_lines_and_behind_characters_that_nobody_sees() {
    for variant in [
        "[Variant\n\"Atomic\"]",
        "[Variant\r\n\r\n\"Atomic\"]",
        "[\nVariant\n\"Atomic\"\n]",
        "[\n\nVariant \"Atomic\" \n\n ]",
        "[Variant \"Atomic\"\n] [Round \"1\"\n]",
        "\u{200b}[Variant \"Atomic\"]",
        "[\u{200b}Variant\u{a0}\"Atomic\"]",
        "\x1a[Variant \"Atomic\"]",
        "[\x1aVariant \"Atomic\"]",
        " \u{feff}\u{2060}[Variant \"Atomic\"]",
    ] {
        let game = format!("[Event \"b\"]\n{variant}\n[White \"W\"]\n\n1. e4 e5 1-0\n\n");
        let (found, report) = kept(&game.repeat(2), &options());
        let found: Vec<_> = found.iter().map(|(game, games, _)| (*game, *games)).collect();
        assert_eq!(found, [("atomic", 2)], "{game:?} {:?}", report.named);
        assert!(has_tags(format!("{variant}\n\n1. e4").as_bytes()), "{variant:?}");
    }
    for variant in [
        "[x[Variant \"Atomic\"]",
        "[x [FEN \"8/8\"]",
        "[Vari\u{200b}ant \"Atomic\"]",
        "[\u{200b}Variant Atomic]",
        "[Variant\nAtomic]",
    ] {
        let text = format!("[Event \"b\"]\n{variant}\n[White \"W\"]\n\n1. e4 e5 1-0\n\n");
        let (found, report) = kept(&text, &options());
        assert_eq!((found.len(), report.games), (0, 1), "{text:?}");
    }
    let first = "[Variant\nfoo \"Atomic\"]\n[White \"W\"]\n\n1. e4 e5 1-0\n";
    let (found, report) = kept(first, &options());
    assert_eq!((found.len(), report.games), (0, 1), "a broken tag is the first");
    let text =
        "[Event \"a\"]\n[FEN\n\"4k3/8/8/8/8/8/4P3/4K3 w - - 0 1\"]\n[White \"b\"]\n\n1. e4 *";
    let (openings, skipped) = read_openings(text.as_bytes(), "chess", None, &KINDS);
    assert_eq!((openings.len(), skipped.len()), (1, 0));
    assert!(openings[0].start_fen.is_some());
}

#[test]
fn a_result_or_moves_behind_an_empty_line_end_a_game_whatever_its_tags() {
    for first in
        ["[Event \"c\"]\n\n*\n", "[Event \"c\"]\n1. e4 e5 1-0\n", "[Event \"c\"]\n1. e4 e5\n\n"]
    {
        let (columns, report) =
            import(&format!("{first}\n[White \"x\"]\n\n1. d4 d5 0-1\n"), &options());
        assert_eq!((columns.result.last(), report.games), (Some(&-1), 2), "{first}");
    }
}

#[test]
fn a_number_without_dots_is_that_of_the_move_or_refuses_the_game() {
    for (moves, is_read) in [
        ("1 e4 e5 2 Nf3 Nc6", true),
        ("1 e4 1 e5 2 Nf3 2 Nc6", true),
        ("1. e4 e5 7. Nf3 Nc6", true),
        ("1. e4 e5 2. Nf3 Nf6 3. Bc4 Bc5 4. 00 00 5. d3 d6", false),
        ("1. e4 e5 2. Nf3 Nf6 3. Bc4 Bc5 4. 000 d6", false),
        ("1. e4 e5 2. Nf3 Nf6 3. Bc4 Bc5 4. 0 0 5. d3", false),
        ("1. e4 e5 2. Nf3 Nf6 3. Bc4 Bc5 4. 0.0 0.0 5. d3", false),
        ("1. e4 e5 2. Nf3 Nf6 3. Bc4 Bc5 4. 0. 0. d3", false),
        ("1. e4 e5 2024 2. Nf3", false),
        ("1. e4 42 e5", false),
        ("1. e4 e5 99999999999999999999", false),
    ] {
        let expected = if is_read { None } else { Some(SkipReason::NotAMove) };
        assert_eq!(
            one(&format!("{moves} 1-0")).err().map(|(reason, _)| reason),
            expected,
            "{moves}"
        );
    }
    let start = "[FEN \"4k3/4p3/8/8/8/8/4P3/4K3 b - - 5 30\"]";
    for (moves, is_read) in [("30 e5 31 e4", true), ("1 e5 2 e4", true), ("3 e5", false)] {
        let (columns, _) = import(&format!("{start}\n\n{moves} 1-0"), &options());
        assert_eq!(columns.len(), usize::from(is_read), "{moves}");
    }
    let (openings, skipped) = read_openings(b"1 e4 e5 2 Nf3 Nc6 3 Bb5 *", "chess", Some(2), &KINDS);
    assert_eq!((openings.len(), skipped.len()), (1, 0), "numbers behind the moves that are read");
}

#[test]
fn a_result_that_the_end_of_the_game_contradicts_is_refused() {
    use SkipReason::ResultsDiffer;
    let mate = "1. f3 e5 2. g4 Qh4#";
    let stalemate = "[FEN \"7k/8/5KQ1/8/8/8/8/8 w - - 0 1\"]\n\n1. Qf7";
    for (text, right) in [
        (mate.to_string(), "0-1"),
        (stalemate.to_string(), "1/2-1/2"),
        ("[Variant \"Atomic\"]\n\n1. Nf3 f6 2. Nd4 a6 3. Ne6 a5 4. Nxd8#".into(), "1-0"),
    ] {
        for result in ["1-0", "0-1", "1/2-1/2"] {
            let (found, report) = kept(&format!("[Result \"{result}\"]\n{text}"), &options());
            assert_eq!(found.len(), usize::from(result == right), "{text} {result}");
            let refused = report.named.iter().map(|skipped| skipped.reason);
            assert!(refused.eq((result != right).then_some(ResultsDiffer)), "{text} {result}");
        }
    }
}

#[test]
fn bytes_that_are_no_utf8_are_decoded_alone_by_importer_and_suites() {
    let text = b"\xef\xbb\xbf[White \"Ji\xc5\x99\xed M\xfcller\"]\n\n1. e4 1-0\n";
    let (columns, report) = import_file("mixed", text).unwrap();
    assert_eq!(columns.names, ["Jiří Müller"]);
    assert_eq!(report.decoded, Some(Noted { games: 1, file: 0, line: 1 }));
    let path = std::env::temp_dir().join(format!("phasezoo-{}-mixed-suite", std::process::id()));
    std::fs::write(&path, text).unwrap();
    let read = read_text(&path, 1 << 20);
    std::fs::remove_file(&path).unwrap();
    assert!(read.unwrap().starts_with("\u{feff}[White \"Jiří Müller\"]\n"));
}

#[test]
fn what_is_never_closed_costs_its_own_game_alone() {
    let text = "[Event \"a\"]\n\n1. e4 {open e5 1-0\n[event \"b\"]\n\n1. d4 d5 1-0\n\n\
                [White \"c\"]\n\n1. c4 (1. d4 1-0\n\n[White \"d\"]\n\n1. c4 c5 0-1\n\n\
                [White \"e\"]\n{open\n\n[Black \"f\"]\n\n1. b3 b6 1-0\n\n\
                [White \"g\n\n1. g3 g6 1-0\n";
    let (columns, report) = import(text, &options());
    assert_eq!((columns.result.as_slice(), report.games), (&[1, -1, 1, 1][..], 7));
    let lines: Vec<u64> = report.named.iter().map(|skipped| skipped.line).collect();
    assert_eq!(lines, [1, 8, 16]);
    assert!(report.named.iter().all(|skipped| skipped.message.contains("never closed")));
}

#[test]
fn lines_may_end_as_on_old_systems_in_files_of_any_size() {
    let games = 2 * (4 << 20) / GAME.len();
    let text = GAME.replace('\n', "\r").repeat(games);
    let (columns, report) = import(&text, &options());
    assert_eq!((columns.len(), report.games), (games, games as u64));
}

#[test]
fn names_that_are_no_utf8_stay_apart_and_are_noted_once() {
    let mut importer = importer(&options());
    let text = b"1. e4 1-0\n\n[White \"J\xf6rg\"]\n[Black \"J\xfcrg\"]\n\n1. e4 \xbd-\xbd\n\n[White \"J\xf6rg\"]\n\n1. e5 1-0";
    importer.read_text(text).unwrap();
    let (columns, report) = finish(importer);
    assert_eq!(columns.names, ["Jörg", "Jürg"]);
    assert_eq!(columns.result, [1, 0]);
    assert_eq!(report.decoded, Some(Noted { games: 2, file: 0, line: 3 }));
}

#[test]
fn pockets_are_read_empty_and_counted() {
    let board = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR";
    for (pockets, moves, is_legal) in [
        ("[-]", "1. e4", true),
        ("[-]", "1. N@f3", false),
        ("[N2Pq]", "1. N@e4 Q@e5 2. P@c3 a6 3. @d3", true),
        ("[N2Pq]", "1. P@c3 a6 2. P@d3 a5 3. P@e3", false),
        ("/-", "1. e4", true),
        ("[3]", "1. e4", false),
        ("[99P]", "1. e4", false),
        ("[99999999999999999999P]", "1. e4", false),
    ] {
        let text = format!(
            "[Variant \"Crazyhouse\"]\n[FEN \"{board}{pockets} w KQkq - 0 1;\"]\n\n{moves} 1-0"
        );
        let (found, report) = kept(&text, &options());
        assert_eq!(!found.is_empty(), is_legal, "{text} {:?}", report.named);
    }
}

#[test]
fn openings_need_neither_result_nor_variant() {
    let text = "[pgn][Event \"a\"]\n\n1. e2-e4 e7e5 2. \u{2658}f3 1/2[/pgn]\n\n[fen \"4k3/8/8/3pP3/8/8/8/4K2R w K d6 0 9\"]\n\n\
                9. exd6 e.p. Kd8 10. 0-0 hello\n\n[Event \"none\"]\n\n*\n\n[Variant \"Standard\"]\n\n1. e4";
    assert!(has_tags(text.as_bytes()) && !has_tags(b"e4 e5 {[x \"y\"]}\n"));
    let (openings, skipped) = read_openings(text.as_bytes(), "chess", Some(3), &KINDS);
    let moves: Vec<String> = openings.iter().map(|opening| opening.moves.join(" ")).collect();
    assert_eq!(moves, ["e2e4 e7e5 g1f3", "", "e2e4"]);
    assert_eq!((skipped.len(), skipped[0].line), (1, 5));
    let text = text.replace(" hello", "");
    let (openings, _) = read_openings(text.as_bytes(), "chess", Some(2), &KINDS);
    assert_eq!(openings[1].moves, ["e5d6", "e8d8"]);
    let (openings, skipped) = read_openings(text.as_bytes(), "atomic", None, &KINDS);
    assert_eq!((openings.len(), skipped.len()), (3, 1));
    assert!(skipped[0].message.contains("'Standard' among openings of 'atomic'"));
}

#[test]
fn nothing_usable_says_where_and_why() {
    let text = "[Variant \"Racing Kings\"]\n\n1. e4 1-0\n\n[Event \"b\"]\n\n1. e5 1-0\n";
    let (_, report) = kept(text, &Options::default());
    let told = nothing_kept(&["x.pgn".into()], &report).to_string();
    for part in ["line 1: unknown variant", "line 5: illegal move: 1. e5", "1 of \"Racing Kings\""]
    {
        assert!(told.contains(part), "{told}");
    }
}

/// Bytes of the header of a member of a tar archive, and of its blocks.
const HEAD_OF_TAR: usize = 512;

const GAME: &str = "[Event \"a\"]\n[Result \"1-0\"]\n\n1. e4 e5 2. Nf3 Nc6 3. Bb5 a6 1-0\n\n";

fn compressed(kind: &str, text: &[u8]) -> Vec<u8> {
    match kind {
        "gz" => {
            let mut encoder =
                flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
            encoder.write_all(text).unwrap();
            encoder.finish().unwrap()
        }
        "bz2" => {
            let mut encoder = bzip2::write::BzEncoder::new(Vec::new(), bzip2::Compression::fast());
            encoder.write_all(text).unwrap();
            encoder.finish().unwrap()
        }
        "xz" => {
            let mut encoder = liblzma::write::XzEncoder::new(Vec::new(), 1);
            encoder.write_all(text).unwrap();
            encoder.finish().unwrap()
        }
        "zst" => zstd::encode_all(text, 1).unwrap(),
        _ => text.to_vec(),
    }
}

/// Imports bytes through a file of a name that says nothing of its kind.
fn import_file(name: &str, bytes: &[u8]) -> Result<(Columns, Report)> {
    let path = std::env::temp_dir().join(format!("phasezoo-{}-{name}", std::process::id()));
    std::fs::write(&path, bytes).unwrap();
    let mut importer = importer(&options());
    let read = importer.read(&path, |_| Ok(()));
    std::fs::remove_file(&path).unwrap();
    read.map(|()| finish(importer))
}

#[test]
fn every_compression_is_read_also_in_several_members() {
    for kind in ["plain", "gz", "bz2", "xz", "zst"] {
        let mut bytes = compressed(kind, GAME.repeat(50).as_bytes());
        bytes.extend(compressed(kind, GAME.repeat(30).as_bytes()));
        let (columns, report) = import_file(kind, &bytes).unwrap();
        assert_eq!(
            (columns.result.len(), report.games, report.damaged.len()),
            (80, 80, 0),
            "{kind}"
        );
        assert_eq!(report.bytes, 80 * GAME.len() as u64);
    }
}

#[test]
fn truncated_files_keep_what_was_read_and_say_so() {
    // Text that does not compress well, so that half of the bytes hold about half of the games.
    let mut text = String::new();
    let mut stream = crate::rng::Stream::new(1);
    for _ in 0..20_000 {
        let tag = format!("[Round \"{:016x}\"]", stream.next_u64());
        text.extend([&tag, "\n\n1. e4 e5 2. Nf3 Nc6 1-0\n\n"]);
    }
    for kind in ["gz", "bz2", "xz", "zst"] {
        let bytes = compressed(kind, text.as_bytes());
        let (columns, report) =
            import_file(&format!("cut-{kind}"), &bytes[..bytes.len() / 2]).unwrap();
        let kept = columns.result.len();
        assert!((1..15_000).contains(&kept), "{kind}: {kept}");
        assert_eq!(report.damaged.len(), 1);
        assert!(report.damaged[0].1.contains("damaged after"), "{}", report.damaged[0].1);
        let skipped: Vec<_> = report.skipped.into_iter().collect();
        assert!(skipped.len() <= 1 && skipped.iter().all(|(_, count)| *count == 1), "{skipped:?}");
    }
}

#[test]
fn the_old_lzma_format_is_read_and_lzip_is_named() {
    use liblzma::stream::{LzmaOptions, Stream};
    let lzma = Stream::new_lzma_encoder(&LzmaOptions::new_preset(6).unwrap()).unwrap();
    let mut encoder = liblzma::write::XzEncoder::new_stream(Vec::new(), lzma);
    encoder.write_all(GAME.repeat(50).as_bytes()).unwrap();
    let bytes = encoder.finish().unwrap();
    let (columns, report) = import_file("old.lzma", &bytes).unwrap();
    assert_eq!((columns.result.len(), report.damaged.len()), (50, 0));
    // A text that begins like one is a text.
    let (columns, _) = import_file("text", format!("];{GAME}").as_bytes()).unwrap();
    assert_eq!(columns.result.len(), 1);
    let said = import_file("lzip", b"LZIP\x01\x0c").unwrap_err().to_string();
    assert!(said.contains("compressed by lzip"), "{said}");
}

#[test]
fn tar_archives_from_before_posix_are_read() {
    let mut archive = tarred();
    let mut at = 0;
    while archive.get(at).is_some_and(|&byte| byte != 0) {
        let block: &mut [u8; 512] = (&mut archive[at..at + 512]).try_into().unwrap();
        block[257..].fill(0);
        let header = tar::Header::from_byte_slice(block);
        let size = header.entry_size().unwrap();
        let mut header = header.clone();
        header.set_cksum();
        *block = *header.as_bytes();
        at += 512 + size.next_multiple_of(512) as usize;
    }
    let (columns, report) = import_file("v7", &archive).unwrap();
    assert_eq!((columns.result.len(), report.files.len()), (60, 3));
}

/// A tar archive with a game in each of three members and a text of another kind.
fn tarred() -> Vec<u8> {
    let mut archive = tar::Builder::new(Vec::new());
    for name in ["a.pgn", "note.txt", "b.pgn", "c.pgn"] {
        let mut header = tar::Header::new_ustar();
        header.set_size(GAME.len() as u64 * 20);
        header.set_cksum();
        archive.append_data(&mut header, name, GAME.repeat(20).as_bytes()).unwrap();
    }
    archive.into_inner().unwrap()
}

#[test]
fn archives_that_end_too_soon_keep_what_was_read_and_say_so() {
    let bytes = tarred();
    let (columns, report) = import_file("whole-tar", &bytes).unwrap();
    assert_eq!((columns.len(), report.damaged.len()), (60, 0));
    let member = HEAD_OF_TAR + (GAME.len() * 20).next_multiple_of(HEAD_OF_TAR);
    for (cut, least, most) in [
        (3 * member + HEAD_OF_TAR + 300, 40, 45),
        (3 * member + HEAD_OF_TAR, 40, 40),
        (3 * member + 100, 40, 40),
        (3 * member - 1, 40, 40),
        (2 * member - 200, 20, 20),
        (member + 300, 20, 20),
        (HEAD_OF_TAR + 200, 1, 5),
    ] {
        for kind in ["plain", "gz"] {
            let bytes = compressed(kind, &bytes[..cut]);
            let name = format!("cut-tar-{cut}-{kind}");
            let (columns, report) = import_file(&name, &bytes).unwrap();
            assert!((least..=most).contains(&columns.len()), "{cut} {kind}: {}", columns.len());
            assert_eq!(report.damaged.len(), 1, "{cut} {kind}");
            let path = std::env::temp_dir().join(format!("phasezoo-{}-{name}", std::process::id()));
            std::fs::write(&path, &bytes).unwrap();
            let read = read_text(&path, 1 << 20);
            std::fs::remove_file(&path).unwrap();
            assert!(read.unwrap_err().to_string().contains("damaged"), "{cut} {kind}");
        }
    }
    let packed = compressed("gz", &bytes);
    let (_, report) = import_file("cut-tar-gz", &packed[..packed.len() - 30]).unwrap();
    assert_eq!(report.damaged.len(), 1);
}

#[test]
fn files_that_cannot_be_read_are_errors() {
    let mut importer = importer(&options());
    let missing = importer.read(Path::new("no/such/file.pgn"), |_| Ok(()));
    assert!(missing.unwrap_err().to_string().contains("no/such/file.pgn"));
    let utf16 = import_file("utf16", b"\xff\xfe1\0.\0");
    assert!(utf16.unwrap_err().to_string().contains("UTF-16"));
    assert!(
        nothing_kept(&["x.pgn".into()], importer.report()).to_string().contains("no game at all")
    );
}

#[test]
fn the_progress_callback_can_end_the_reading() {
    let path = std::env::temp_dir().join(format!("phasezoo-{}-stop", std::process::id()));
    std::fs::write(&path, GAME).unwrap();
    let mut importer = importer(&options());
    let stopped = importer.read(&path, |_| Err(Error::InvalidState("stop".into())));
    std::fs::remove_file(&path).unwrap();
    assert_eq!(stopped.unwrap_err().to_string(), "stop");
}

/// Pieces of PGN, put together at random: closer to the parser's edges than random bytes.
const PIECES: [&str; 24] = [
    "[Event \"x\"]\n",
    "[FEN \"",
    "[Result \"1-0\"]",
    "\"]\n",
    "\n",
    "\n\n",
    "1. e4 ",
    "e5 ",
    "{",
    "}",
    "(",
    ")",
    ";",
    "%",
    "$",
    "$999",
    "1-0 ",
    "1/2-1/2\n",
    "*",
    "O-O ",
    "e8=Q ",
    "\\",
    "\r\n\r\n",
    "½-½ ",
];

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    #[test]
    fn garbage_bytes_never_panic(bytes in proptest::collection::vec(any::<u8>(), 0..4000)) {
        let mut importer = importer(&options());
        importer.read_text(&bytes).unwrap();
        let (columns, report) = finish(importer);
        prop_assert_eq!(report.games, columns.result.len() as u64 + report.skipped.values().sum::<u64>());
    }

    #[test]
    fn garbled_pgn_never_panics_and_spares_the_games_around(
        pieces in proptest::collection::vec(0..PIECES.len(), 0..60)
    ) {
        let garbage: String = pieces.iter().map(|&piece| PIECES[piece]).collect();
        let text = format!("{GAME}{garbage}\n\n{GAME}");
        let (columns, report) = import(&text, &options());
        prop_assert_eq!(report.games, columns.result.len() as u64 + report.skipped.values().sum::<u64>());
        prop_assert!(columns.result.len() >= 2, "{}", text);
        prop_assert_eq!(*columns.offsets.last().unwrap(), columns.actions.len() as i64);
    }
}

#[test]
fn unknown_variants_are_named_with_what_may_be_meant() {
    let game = |variant: &str| format!("[Variant \"{variant}\"]\n\n1. e4 1-0\n\n");
    let text: String =
        ["Zombie", "Atomc", "Bughouse", "Bughouse", "Alice", "Extinction"].map(game).concat();
    let (_, report) = import(&text, &options());
    let said = nothing_kept(&["x.pgn".into()], &report).to_string();
    assert!(said.contains(r#"2 of "Bughouse", 1 of "Alice", 1 of "Atomc" and 2 more"#), "{said}");
    let messages: Vec<_> = report.named.iter().map(|each| each.message.as_str()).collect();
    assert!(messages[0].contains("there are chess, "), "{messages:?}");
    assert!(messages[1].contains("did you mean atomic?"), "{messages:?}");
}

#[test]
fn words_that_are_no_utf_8_are_shown_as_they_were_meant() {
    // Forty bytes end in the midst of the last letter, which is left out.
    let long = format!("{}é", "x".repeat(39));
    assert_eq!(shown(long.as_bytes()), format!("{:?}…", "x".repeat(39)));
    assert_eq!(shown(&[0x93; 50]), format!("{:?}…", "“".repeat(40)));
    assert_eq!(shown(b"Variant\xe9"), "\"Varianté\"");
    let mut importer = importer(&options());
    importer.read_text(&b"[Event \"a\"]\n\n1. e4 Sf6\xe9 1-0\n"[..]).unwrap();
    let (_, report) = finish(importer);
    assert!(!report.named[0].message.contains('\u{fffd}'), "{}", report.named[0].message);
}
