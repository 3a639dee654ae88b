use super::*;
use crate::error::Error;

/// A state of some game, with what the generic gates read.
struct Toy {
    key: Option<u64>,
    ply: Option<u32>,
}

impl Subject for Toy {
    fn game_name() -> &'static str {
        "toy"
    }

    fn gates() -> Vec<GateKind<Self>> {
        let size = |state: &Self, player| Ok(state.ply.map(|ply| ply + 100 * u32::from(player)));
        vec![
            GateKind::measured("over", Side::Over, Some("1,3"), size),
            GateKind::measured("from", Side::From, Some("1,3"), size),
            GateKind::measured("upto", Side::UpTo, Some("3,1"), size),
            GateKind::measured("under", Side::Under, Some("3,1"), size).also("below"),
        ]
    }

    fn position_key(&self) -> Result<Option<u64>> {
        Ok(self.key)
    }

    fn plies(&self) -> Result<Option<u32>> {
        Ok(self.ply)
    }
}

/// A state of a game that has its own word for plies.
struct Steps;

impl Subject for Steps {
    const PLIES: Plies = Plies { name: "steps", default: Some("40") };

    fn game_name() -> &'static str {
        "steps"
    }

    fn gates() -> Vec<GateKind<Self>> {
        Vec::new()
    }

    fn position_key(&self) -> Result<Option<u64>> {
        Ok(None)
    }

    fn plies(&self) -> Result<Option<u32>> {
        Ok(Some(41))
    }
}

fn gate(spec: &str) -> Gating<Toy> {
    Gating::parse(spec, false).unwrap()
}

fn at(ply: u32) -> Toy {
    Toy { key: Some(10), ply: Some(ply) }
}

#[test]
fn canonical_specs_are_accepted_and_fixed() {
    for (given, canonical) in [
        ("none", "none"),
        ("hash:20", "hash:20"),
        ("plies:14,28", "plies:14,28"),
        ("over", "over:1,3"),
        ("below:7", "under:7"),
        ("monotone:below", "monotone:under:3,1"),
    ] {
        let gate = gate(given);
        assert_eq!(gate.spec(), canonical);
        assert_eq!(Gating::parse(canonical, false).unwrap(), gate);
        assert_eq!(gate.names().len(), gate.num_phases());
        assert_eq!(gate.monotone(), given.starts_with("monotone"));
        assert!(Gating::<Toy>::knows(given));
    }
    assert_eq!(Gating::<Toy>::parse("hash:2", true).unwrap(), gate("monotone:hash:2"));
    assert!(!Gating::<Toy>::knows("lichess") && !Gating::<Toy>::knows(""));
}

#[test]
fn what_is_outside_the_grammar_is_refused_with_the_gates_of_the_game() {
    let long = (0..20).map(|i| i.to_string()).collect::<Vec<_>>().join(",");
    for kind in spellings::<Toy>() {
        assert!(kind.examples.iter().all(|spec| Gating::<Toy>::parse(spec, false).is_ok()));
        assert!(kind.names.iter().all(|name| kind.examples[0].contains(name) || *name == "below"));
    }
    for (spec, reason) in [
        ("", "it is empty"),
        (" ", "toy has no such gate"),
        ("lichess", "toy has no such gate"),
        ("None", "toy has no such gate"),
        ("m\u{fc}", "toy has no such gate"),
        (":", "toy has no such gate"),
        ("monotone", "toy has no such gate"),
        ("monotone:", "it is empty"),
        ("monotone:monotone:none", "toy has no such gate"),
        ("none:", "none takes no argument"),
        ("none:1", "none takes no argument"),
        ("hash", "n is missing"),
        ("hash:0", "n must be a whole number from 2 to 20"),
        ("hash:1", "n must be"),
        ("hash:21", "n must be"),
        ("hash:-3", "n must be"),
        ("hash:+3", "n must be"),
        ("hash:03", "n must be"),
        ("hash:3.0", "n must be"),
        ("hash:3:4", "n must be"),
        ("hash:99999999999999999999", "n must be"),
        ("plies", "thresholds are missing"),
        ("plies:", "thresholds must be whole numbers"),
        ("plies:6,", "thresholds must be whole numbers"),
        ("plies:6, 7", "thresholds must be whole numbers"),
        ("plies:10000", "thresholds must be whole numbers"),
        ("plies:6,6", "plies's thresholds must rise strictly"),
        ("from:3,1", "from's thresholds must rise strictly"),
        ("below:1,3", "under's thresholds must fall strictly"),
        (&format!("plies:{long}"), "20 thresholds are too many"),
    ] {
        let message = Gating::<Toy>::parse(spec, false).unwrap_err().to_string();
        let name = name_in(spec);
        let allowed = match spellings::<Toy>().into_iter().find(|kind| kind.names.contains(&name)) {
            Some(kind) => format!("; write {}", kind.examples[0]),
            None => "; its gates are none, over, from, upto, under, ".into(),
        };
        assert!(message.contains(&allowed) && message.contains(reason), "{spec}: {message}");
    }
    let message = Gating::<Toy>::parse(&"x".repeat(100_000), false).unwrap_err().to_string();
    assert!(message.len() < 1000);
    let nineteen = (0..19).map(|i| i.to_string()).collect::<Vec<_>>().join(",");
    assert_eq!(gate(&format!("plies:{nineteen}")).num_phases(), 20);
}

#[test]
fn names_say_the_ranges() {
    let names = |spec: &str| gate(spec).names();
    assert_eq!(names("none"), ["all"]);
    assert_eq!(names("hash:2"), ["part 0", "part 1"]);
    assert_eq!(names("plies:14,28"), ["up to 14", "15–28", "over 28"]);
    assert_eq!(names("over:0,1,5"), ["0", "1", "2–5", "over 5"]);
    assert_eq!(names("from"), ["under 1", "1–2", "3 and over"]);
    assert_eq!(names("upto:10,6"), ["over 10", "7–10", "up to 6"]);
    assert_eq!(names("upto:3,2,0"), ["over 3", "3", "1–2", "0"]);
    assert_eq!(names("under:9,6,3"), ["from 9", "6–8", "3–5", "under 3"]);
}

#[test]
fn thresholds_count_from_the_right_side() {
    let phases = |spec: &str| [0, 1, 2, 3, 4].map(|n| gate(spec).phase(&at(n), 0, None).unwrap());
    assert_eq!(phases("over"), [0, 0, 1, 1, 2]);
    assert_eq!(phases("plies:1,3"), [0, 0, 1, 1, 2]);
    assert_eq!(phases("from"), [0, 1, 1, 2, 2]);
    assert_eq!(phases("upto"), [2, 2, 1, 1, 0]);
    assert_eq!(phases("under"), [2, 1, 1, 0, 0]);
    // Who sees the state matters, and what cannot be measured is in the last phase.
    assert_eq!(gate("over").phase(&at(0), 1, None).unwrap(), 2);
    assert_eq!(gate("upto").phase(&Toy { key: None, ply: None }, 0, None).unwrap(), 2);
}

#[test]
fn monotone_gates_never_go_back() {
    let phase = |gate: &Gating<Toy>, previous| gate.phase(&at(0), 0, previous);
    let gate = Gating::parse("hash:4", true).unwrap();
    assert_eq!([None, Some(1), Some(3)].map(|p| phase(&gate, p).unwrap()), [2, 2, 3]);
    assert!(matches!(phase(&gate, Some(4)), Err(Error::InvalidGate(_))));
    let markov = Gating::parse("hash:4", false).unwrap();
    assert_eq!(phase(&markov, Some(3)).unwrap(), 2);
}

#[test]
fn gates_say_what_a_state_lacks() {
    let bare = Toy { key: None, ply: None };
    for (spec, lacking) in [("hash:2", "`key`"), ("plies:1", "`ply`")] {
        let message = gate(spec).phase(&bare, 0, None).unwrap_err().to_string();
        assert!(message.contains(lacking), "{message}");
    }
    assert_eq!(gate("none").phase(&bare, 0, None).unwrap(), 0);
}

#[test]
fn a_game_may_have_its_own_word_for_plies() {
    for (spec, canonical) in
        [("steps", "steps:40"), ("plies:40", "plies:40"), ("steps:50", "steps:50")]
    {
        let gate = Gating::<Steps>::parse(spec, false).unwrap();
        assert_eq!(gate.spec(), canonical);
        assert_eq!(gate.phase(&Steps, 0, None).unwrap(), u8::from(spec != "steps:50"));
    }
    assert!(!Gating::<Toy>::knows("steps"));
}
