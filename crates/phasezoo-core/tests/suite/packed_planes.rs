//! Packed planes hold what the float planes hold, in every game.

use phasezoo_core::game::{Action, Game, Player, Turn};
use phasezoo_core::games::boards::planes::BoardPlanes;
use phasezoo_core::games::connect_four::ConnectFourPlanes;
use phasezoo_core::games::pommerman::twister::Twister;
use phasezoo_core::games::pommerman::{Config, Mode, PommermanPlanes, State};
use phasezoo_core::games::{
    Atomic, BoardState, Chess, Chess960, ConnectFour, Crazyhouse, Krk, Rules,
};
use phasezoo_core::planes::{PackedLayout, PackedRow, PlaneKind};
use phasezoo_core::records::Stored;
use phasezoo_core::rng::Stream;

const GAMES: u64 = 12;

/// Calls `look` with every state of random games of at most 120 plies from `start`.
fn along_random_games<G: Game>(start: impl Fn(u64) -> G, mut look: impl FnMut(&G)) {
    let mut legal = Vec::new();
    for seed in 0..GAMES {
        let mut stream = Stream::new(seed);
        let mut state = start(seed);
        for _ in 0..120 {
            look(&state);
            let acting: Vec<Player> = match state.turn() {
                Turn::Over => break,
                Turn::Player(player) => vec![player],
                Turn::Simultaneous(set) => set.iter().collect(),
            };
            let joint: Vec<Action> = acting
                .into_iter()
                .map(|player| {
                    state.legal_actions(player, &mut legal);
                    legal[stream.below(legal.len())]
                })
                .collect();
            state.apply(&joint).unwrap();
        }
        look(&state);
    }
}

/// The packed planes unpacked. Both buffers are full of rubbish before.
fn unpacked(
    layout: &PackedLayout,
    size: usize,
    write: impl FnOnce(&mut PackedRow<'_>),
) -> Vec<f32> {
    let mut bits = vec![u64::MAX; layout.words()];
    let mut numbers = vec![f32::NAN; layout.numbers()];
    write(&mut PackedRow { bits: &mut bits, numbers: &mut numbers });
    let mut planes = vec![f32::NAN; size];
    layout.unpack(&bits, &numbers, &mut planes);
    planes
}

fn bits_of(planes: &[f32]) -> Vec<u32> {
    planes.iter().map(|cell| cell.to_bits()).collect()
}

/// Asserts that planes packed, by the game and from floats, are the float planes bit for bit.
fn assert_equal<G: Stored>(state: &G, planes: G::Planes, symmetry: u8) {
    let layout = G::packed_layout(planes);
    let size = G::plane_shape(planes).iter().product();
    for player in 0..state.num_players() as Player {
        let mut floats = vec![f32::NAN; size];
        state.encode(planes, player, &mut floats);
        let packed = unpacked(&layout, size, |out| state.encode_packed(planes, player, out));
        assert_eq!(bits_of(&packed), bits_of(&floats));
        let packed = unpacked(&layout, size, |out| layout.pack(&floats, out));
        assert_eq!(bits_of(&packed), bits_of(&floats));
        if state.is_symmetric() {
            state.encode_turned(planes, player, symmetry, &mut floats);
            let packed = unpacked(&layout, size, |out| {
                state.encode_turned_packed(planes, player, symmetry, out);
            });
            assert_eq!(bits_of(&packed), bits_of(&floats));
        }
    }
}

fn check_boards<R: Rules>(start: impl Fn(u64) -> BoardState<R>) {
    let mut choices: Vec<BoardPlanes> = Vec::new();
    for planes in R::PLANES {
        choices.push(*planes);
        let shorter =
            (0..planes.history()).map(|shown| format!("{}:history={shown}", planes.name()));
        choices.extend(shorter.map(|spec| BoardPlanes::parse::<R>(&spec).unwrap()));
    }
    let mut symmetric = 0;
    along_random_games(start, |state| {
        symmetric += usize::from(state.is_symmetric());
        for &planes in &choices {
            assert_equal(state, planes, 1);
        }
    });
    assert!(symmetric > 10, "{}: {symmetric} states were mirrored", R::NAME);
}

#[test]
fn of_board_games() {
    check_boards(|_| BoardState::<Chess>::initial());
    check_boards(|seed| {
        BoardState::<Chess960>::from_position(Chess960::drawn(&mut Stream::new(seed)))
    });
    check_boards(|_| BoardState::<Atomic>::initial());
    check_boards(|_| BoardState::<Crazyhouse>::initial());
    check_boards(|_| BoardState::<Krk>::initial());
}

#[test]
fn of_connect_four() {
    along_random_games(
        |_| ConnectFour::default(),
        |state| assert_equal(state, ConnectFourPlanes::Default, 1),
    );
}

#[test]
fn of_pommerman() {
    for mode in [Mode::Ffa, Mode::TeamRadio, Mode::OneVsOne] {
        let mut symmetry = 0;
        along_random_games(
            |seed| State::new(Config::new(mode, seed % 2 == 0, true), &mut Twister::new(seed)),
            |state| {
                symmetry = (symmetry + 1) % 8;
                assert_equal(state, PommermanPlanes { size: state.config().size }, symmetry);
            },
        );
    }
}

#[test]
fn a_chess_position_takes_a_fortieth() {
    let layout = BoardState::<Chess>::packed_layout(BoardPlanes::V2);
    assert_eq!((layout.words(), layout.numbers(), layout.bytes()), (33, 19, 340));
    let count = |kind| layout.kinds().iter().filter(|&&each| each == kind).count();
    assert_eq!(count(PlaneKind::General), 0);
    assert_eq!(
        layout,
        BoardState::<Chess>::packed_layout(BoardPlanes::parse::<Chess>("v2:history=3").unwrap())
    );
}

/// Cells fill words from their lowest bits on, and what lies behind the last cell is empty.
#[test]
fn bits_are_in_order() {
    let layout =
        PackedLayout::new(vec![PlaneKind::General, PlaneKind::Binary, PlaneKind::Constant], 70);
    let mut planes = vec![0.0; 210];
    planes[..70].fill(0.25);
    planes[70 + 3] = 1.0;
    planes[70 + 69] = 1.0;
    planes[140..].fill(-2.0);
    let (mut bits, mut numbers) = ([u64::MAX; 2], [f32::NAN; 71]);
    layout.pack(&planes, &mut PackedRow { bits: &mut bits, numbers: &mut numbers });
    assert_eq!(bits, [1 << 3, 1 << 5]);
    assert_eq!(numbers[..2], [-2.0, 0.25]);
}
