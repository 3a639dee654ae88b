//! States as the original writes and reads them (`docs/definitions/pommerman.md`, "JSON"): an object
//! whose values are JSON texts themselves.
//!
//! `radio_from_agent` maps the code of an agent to its words. Two keys of our own follow, which the
//! original ignores: `words` of all players in other modes too, and `paid`, what the last step paid if
//! it ended the game. Where the board has just collapsed, `uncollapsed` is the state before that.

use serde_json::{Map, Value, json};

use super::config::{Config, MAX_PLAYERS, MAX_SIZE, MIN_SIZE, Mode};
use super::parts::Parts;
use super::state::{Agent, Bomb, Flame, State, cell};
use crate::error::{Error, Result};

/// Longest text of a value that an error quotes.
const QUOTED: usize = 60;

fn invalid(reason: impl std::fmt::Display) -> Error {
    Error::InvalidState(format!("not a state of Pommerman: {reason}"))
}

impl State {
    /// The state as JSON.
    pub fn to_json(&self) -> String {
        let size = self.config.size;
        let place = |at: u8| json!([at / size, at % size]);
        let rows: Vec<&[u8]> = self.board().chunks(usize::from(size)).collect();
        let agents: Vec<Value> = self
            .agents()
            .iter()
            .enumerate()
            .map(|(player, agent)| {
                json!({
                    "agent_id": player,
                    "is_alive": agent.alive,
                    "position": place(agent.cell),
                    "ammo": agent.ammo,
                    "blast_strength": agent.blast,
                    "can_kick": agent.can_kick,
                })
            })
            .collect();
        let bombs: Vec<Value> = self
            .bombs
            .iter()
            .map(|bomb| {
                json!({
                    "position": place(bomb.cell),
                    "bomber_id": bomb.owner,
                    "life": bomb.life,
                    "blast_strength": bomb.blast,
                    "moving_direction": (bomb.direction > 0).then_some(bomb.direction),
                })
            })
            .collect();
        let flames: Vec<Value> = self
            .flames
            .iter()
            .map(|flame| json!({ "position": place(flame.cell), "life": flame.life }))
            .collect();
        let items: Vec<Value> =
            self.parts().items.iter().map(|&(at, kind)| json!([place(at), kind])).collect();
        let mut values = vec![
            ("board_size", json!(size)),
            ("step_count", json!(self.step_count)),
            ("board", json!(rows)),
            ("agents", json!(agents)),
            ("bombs", json!(bombs)),
            ("flames", json!(flames)),
            ("items", json!(items)),
            ("intended_actions", json!([])),
            ("words", json!(self.words())),
            ("paid", json!(self.paid.map(|paid| paid[..self.config.players()].to_vec()))),
        ];
        if self.config.mode == Mode::TeamRadio {
            let heard: Map<String, Value> = (self.words().iter().enumerate())
                .map(|(player, words)| {
                    ((usize::from(cell::AGENT) + player).to_string(), json!(words))
                })
                .collect();
            values.extend([
                ("radio_vocab_size", json!(8)),
                ("radio_num_words", json!(2)),
                ("radio_from_agent", Value::Object(heard)),
            ]);
        }
        if let Some(uncollapsed) = &self.uncollapsed {
            values.push(("uncollapsed", Value::String(uncollapsed.to_json())));
        }
        let texts = values.into_iter().map(|(key, value)| (key.into(), json!(value.to_string())));
        Value::Object(texts.collect()).to_string()
    }

    /// The state that a text holds, under the rules of `config` but for the size of the board.
    pub fn from_json(config: Config, text: &str) -> Result<Self> {
        let document: Value = serde_json::from_str(text).map_err(invalid)?;
        let Value::Object(document) = document else {
            return Err(invalid("expected an object with board, agents, bombs …"));
        };
        let document = Document(document);
        let board = document.get("board")?;
        let size = list(&board, "board")?.len();
        if !(MIN_SIZE..=MAX_SIZE).contains(&size) {
            return Err(invalid(format_args!(
                "the board has {size} rows; boards have {MIN_SIZE} to {MAX_SIZE}"
            )));
        }
        if let Some(given) = document.find("board_size")?
            && given.as_u64() != Some(size as u64)
        {
            return Err(invalid(format_args!("board_size is {given}, the board has {size} rows")));
        }
        let config = Config { size: size as u8, ..config };
        let mut state = Self::from_parts(config, &document.parts(&board, size as u8)?)?;
        document.read_words(&mut state)?;
        document.read_paid(&mut state)?;
        document.read_uncollapsed(&mut state)?;
        Ok(state)
    }
}

/// The outer object, whose values may be JSON texts or what these would hold.
struct Document(Map<String, Value>);

impl Document {
    fn find(&self, key: &str) -> Result<Option<Value>> {
        match self.0.get(key) {
            None => Ok(None),
            Some(Value::String(text)) => serde_json::from_str(text)
                .map(Some)
                .map_err(|error| invalid(format_args!("{key}: {error}"))),
            Some(other) => Ok(Some(other.clone())),
        }
    }

    fn get(&self, key: &str) -> Result<Value> {
        self.find(key)?.ok_or_else(|| invalid(format_args!("{key} is missing")))
    }

    fn parts(&self, board: &Value, size: u8) -> Result<Parts> {
        let mut cells = Vec::with_capacity(usize::from(size) * usize::from(size));
        for row in list(board, "board")? {
            let row = list(row, "a row of the board")?;
            if row.len() != usize::from(size) {
                return Err(invalid(format_args!(
                    "a row of {} cells on a board of {size} rows",
                    row.len()
                )));
            }
            for code in row {
                cells.push(number(code, "a cell")?);
            }
        }
        let mut agents = vec![None; list(&self.get("agents")?, "agents")?.len().min(MAX_PLAYERS)];
        for agent in list(&self.get("agents")?, "agents")? {
            let id: usize = number(field(agent, "agent_id")?, "agent_id")?;
            let slot = agents.get_mut(id).filter(|slot| slot.is_none()).ok_or_else(|| {
                invalid(format_args!("agent_id {id} twice, or beyond the number of agents"))
            })?;
            *slot = Some(Agent {
                cell: place(field(agent, "position")?, size)?,
                ammo: number(field(agent, "ammo")?, "ammo")?,
                blast: number(field(agent, "blast_strength")?, "blast_strength")?,
                can_kick: flag(field(agent, "can_kick")?, "can_kick")?,
                alive: flag(field(agent, "is_alive")?, "is_alive")?,
            });
        }
        let bomb = |bomb: &Value| {
            let direction = field(bomb, "moving_direction")?;
            Ok(Bomb {
                owner: number(field(bomb, "bomber_id")?, "bomber_id")?,
                cell: place(field(bomb, "position")?, size)?,
                life: number(field(bomb, "life")?, "life")?,
                blast: number(field(bomb, "blast_strength")?, "blast_strength")?,
                direction: if direction.is_null() { 0 } else { number(direction, "direction")? },
            })
        };
        let flame = |flame: &Value| {
            Ok(Flame {
                cell: place(field(flame, "position")?, size)?,
                life: number(field(flame, "life")?, "life")?,
            })
        };
        let item = |item: &Value| match list(item, "an item")?.as_slice() {
            [at, kind] => Ok((place(at, size)?, number(kind, "an item")?)),
            _ => Err(invalid(format_args!("item {}: expected [[row, column], kind]", shown(item)))),
        };
        let step_count = self.find("step_count")?.unwrap_or_else(|| json!(0));
        Ok(Parts {
            board: cells,
            agents: agents.into_iter().flatten().collect(),
            bombs: list(&self.get("bombs")?, "bombs")?.iter().map(bomb).collect::<Result<_>>()?,
            flames: list(&self.get("flames")?, "flames")?
                .iter()
                .map(flame)
                .collect::<Result<_>>()?,
            items: list(&self.get("items")?, "items")?.iter().map(item).collect::<Result<_>>()?,
            step_count: number(&step_count, "step_count")?,
        })
    }

    fn read_words(&self, state: &mut State) -> Result<()> {
        let by_code = self.find("radio_from_agent")?;
        for player in 0..state.config.players() {
            let code = (usize::from(cell::AGENT) + player).to_string();
            let told = by_code.as_ref().and_then(|words| words.get(&code)).cloned();
            let own = self.find("words")?.and_then(|words| words.get(player).cloned());
            let Some(words) = told.or(own) else { continue };
            let [first, second] = list(&words, "words")?.as_slice() else {
                return Err(invalid(format_args!("words {}: expected two", shown(&words))));
            };
            let words = [number(first, "a word")?, number(second, "a word")?];
            if words.iter().any(|&word: &u8| word > 7) {
                return Err(invalid(format_args!("words {words:?}: they are 0 to 7")));
            }
            state.words[player] = words;
        }
        Ok(())
    }

    fn read_uncollapsed(&self, state: &mut State) -> Result<()> {
        let Some(told) = self.find("uncollapsed")? else { return Ok(()) };
        let Value::String(text) = &told else {
            return Err(invalid(format_args!(
                "uncollapsed: expected a text, found {}",
                shown(&told)
            )));
        };
        let before = State::from_json(state.config, text)?;
        let is_apart = before.config.size != state.config.size
            || before.step_count != state.step_count
            || before.uncollapsed.is_some();
        if is_apart {
            return Err(invalid("uncollapsed is not this state before the board collapsed"));
        }
        state.uncollapsed = Some(Box::new(before));
        Ok(())
    }

    fn read_paid(&self, state: &mut State) -> Result<()> {
        let Some(paid) = self.find("paid")? else { return Ok(()) };
        if paid.is_null() {
            state.paid = None;
            return Ok(());
        }
        let given = list(&paid, "paid")?;
        if given.len() != state.config.players() {
            return Err(invalid("paid has another length than there are players"));
        }
        let mut rewards = [0; MAX_PLAYERS];
        for (reward, value) in rewards.iter_mut().zip(given) {
            *reward = number::<i8>(value, "paid")?.clamp(-1, 1);
        }
        state.paid = Some(rewards);
        Ok(())
    }
}

fn shown(value: &Value) -> String {
    value.to_string().chars().take(QUOTED).collect()
}

fn list<'a>(value: &'a Value, what: &str) -> Result<&'a Vec<Value>> {
    value
        .as_array()
        .ok_or_else(|| invalid(format_args!("{what}: expected a list, found {}", shown(value))))
}

fn field<'a>(value: &'a Value, key: &str) -> Result<&'a Value> {
    value.get(key).ok_or_else(|| invalid(format_args!("{key} is missing in {}", shown(value))))
}

fn number<T: TryFrom<i64>>(value: &Value, what: &str) -> Result<T> {
    value
        .as_i64()
        .and_then(|number| T::try_from(number).ok())
        .ok_or_else(|| invalid(format_args!("{what} is {}, no number in its range", shown(value))))
}

fn flag(value: &Value, what: &str) -> Result<bool> {
    match (value.as_bool(), value.as_i64()) {
        (Some(flag), _) => Ok(flag),
        (_, Some(0)) => Ok(false),
        (_, Some(1)) => Ok(true),
        _ => Err(invalid(format_args!("{what} is {}, expected true or false", shown(value)))),
    }
}

fn place(value: &Value, size: u8) -> Result<u8> {
    let [row, column] = list(value, "a position")?.as_slice() else {
        return Err(invalid(format_args!("position {}: expected [row, column]", shown(value))));
    };
    let (row, column): (u8, u8) = (number(row, "a row")?, number(column, "a column")?);
    if row >= size || column >= size {
        return Err(invalid(format_args!("position [{row}, {column}] on a board of {size} rows")));
    }
    Ok(row * size + column)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::game::Game;
    use crate::games::pommerman::SimpleAgent;
    use crate::games::pommerman::twister::Twister;

    fn some_state(mode: Mode, seed: u64, steps: usize) -> State {
        some_state_of(Config::new(mode, false, false), seed, steps)
    }

    fn some_state_of(config: Config, seed: u64, steps: usize) -> State {
        let mut random = Twister::new(seed);
        let mut state = State::new(config, &mut random);
        let mut agents: [SimpleAgent; 4] = Default::default();
        for _ in 0..steps {
            if state.is_over() {
                break;
            }
            let joint: Vec<u32> = (0..state.num_players())
                .map(|player| {
                    if state.agents()[player].alive {
                        u32::from(agents[player].act(&state, player as u8, &mut random).0)
                    } else {
                        0
                    }
                })
                .collect();
            state.apply(&joint).unwrap();
        }
        state
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(48))]

        #[test]
        fn states_come_back(seed in 0_u64..10_000, steps in 0_usize..300, mode in 0_usize..4) {
            let mode = Mode::ALL[mode];
            let state = some_state(mode, seed, steps);
            let back = State::from_json(Config::new(mode, false, false), &state.to_json()).unwrap();
            prop_assert_eq!(state, back);
        }

        #[test]
        fn broken_texts_are_refused_or_played(seed in 0_u64..50, at in 0_usize..4_000, byte in 32_u8..127) {
            let mut text = some_state(Mode::Ffa, seed, 40).to_json().into_bytes();
            let at = at % text.len();
            text[at] = byte;
            let text = String::from_utf8(text).unwrap();
            if let Ok(mut state) = State::from_json(Config::new(Mode::Ffa, false, true), &text) {
                for _ in 0..12 {
                    state.step([1, 5, 3, 4]);
                }
                let mut planes = vec![0.0; 23 * state.config().cells()];
                state.write_planes(0, &mut planes);
                prop_assert!(planes.iter().all(|value| value.is_finite()));
            }
        }
    }

    #[test]
    fn what_stood_before_a_collapse_comes_back() {
        for mode in [Mode::Ffa, Mode::TeamRadio] {
            let config = Config { max_steps: 520, ..Config::new(mode, false, true) };
            let mut state = some_state_of(config, 5, 0);
            // Ring 0 falls after step 500, ring 1, on which all stand, after step 505.
            for step in 1..=505 {
                state.step([0; 4]);
                assert_eq!(state.uncollapsed.is_some(), matches!(step, 500 | 505));
            }
            assert_eq!(state.living(), 0, "all stood on ring 1");
            assert_eq!(state.before_collapse().living(), 15);
            assert_eq!((state.rewards(), state.is_over()), ([0; 4], false));
            let back = State::from_json(config, &state.to_json()).unwrap();
            assert_eq!(state, back);
            let broken = state.to_json().replacen("uncollapsed\":\"", "uncollapsed\":\"1", 1);
            assert!(State::from_json(config, &broken).is_err());
            let (rewards, is_over) = state.step([0; 4]);
            assert_eq!((rewards, is_over, state.rewards()), ([-1; 4], true, [-1; 4]));
        }
    }

    #[test]
    fn impossible_states_are_refused() {
        let good = some_state(Mode::Ffa, 3, 25).to_json();
        let config = Config::new(Mode::Ffa, false, false);
        for (from, to) in [
            (r#""board_size":"11""#, r#""board_size":"10""#),
            (r#"\"agent_id\":1"#, r#"\"agent_id\":0"#),
            (r#"\"agent_id\":3"#, r#"\"agent_id\":7"#),
            (r#"\"can_kick\":false"#, r#"\"can_kick\":5"#),
            (r#""flames":"["#, r#""flames":"[[0],"#),
            (r#""board":"[["#, r#""board":"[[99,"#),
        ] {
            let bad = good.replacen(from, to, 1);
            assert_ne!(bad, good, "{from}");
            let error = State::from_json(config, &bad).unwrap_err();
            assert!(matches!(error, Error::InvalidState(_)), "{to}");
        }
        for text in ["", "[]", "{}", "null", r#"{"board": "x"}"#, r#"{"board": [[1]]}"#] {
            assert!(State::from_json(config, text).is_err());
        }
        let duel = Config::new(Mode::OneVsOne, false, false);
        assert!(State::from_json(duel, &good).is_err(), "four agents in a game of two");
    }
}
