"""The report's sentences that depend on how experts learn."""

from phasezoo.experiments.m2cts.duel.config import M2ctsConfig
from phasezoo.experiments.m2cts.duel.results import Results
from phasezoo.report import numbers
from phasezoo.training.strategies import Strategy

__all__ = ["LossTexts", "alike_sentence", "expert_sentence", "loss_texts", "placebo_sentence"]

LossTexts = tuple[str, str, tuple[str, str]]
"""A title, what is compared, and what follows if the loss is lower or higher."""


def expert_sentence(config: M2ctsConfig) -> str:
    """What an expert is."""
    strategy = Strategy.parse(config.strategy)
    return {
        "separated": "An expert is a network trained only on the positions of one phase.",
        "staged": "An expert is a network that learnt from positions of all phases first, and from "
        "those of one phase last.",
        "weighted": "An expert is a network that learnt from positions of all phases, among which "
        f"one of its own phase counted as much as {strategy.factor or 1:g} others.",
        "planes": "All experts are one network that learnt from all positions and is told the "
        "phase of each by further inputs.",
        "heads": "All experts are one network that learnt from all positions and has outputs of "
        "their own for each phase.",
    }[strategy.kind]


def alike_sentence(config: M2ctsConfig) -> str:
    """What all networks have in common."""
    begun = {
        "staged": ". The one network and the first stage of the experts start from the same "
        "weights, later stages from the stage before",
        "planes": ", with further inputs where the phase is told; what is alike in them starts "
        "from the same weights",
        "heads": ", with outputs for each phase where there are several; what is alike in them "
        "starts from the same weights",
    }.get(Strategy.parse(config.strategy).kind, " and start from the same weights")
    return (
        f"All networks have the architecture {config.network}{begun}, and all follow the same "
        "schedule of learning rates."
    )


def placebo_sentence(results: Results) -> str:
    """What the placebo is, and what comparing with it tells."""
    spelled = numbers.spelled(len(results.dataset.phases))
    strategy = Strategy.parse(results.config.strategy)
    means = "by a hash of the position, which means nothing"
    if strategy.phase_input is not None:
        return (
            "Experts might win because knowing the phase helps, or because their network is a "
            "little larger. To tell these apart there is a placebo: the same network with "
            f"{spelled} phases told {means}."
        )
    if strategy.kind == "separated":
        return (
            "Experts might win because they specialise, and might lose because each sees only a "
            f"part of the games. To tell these apart there is a placebo: {spelled} more networks "
            f"that divide the same positions just as thinly, but {means}. Placebo against one "
            "network is what thinner data costs; phase experts against the placebo is what knowing "
            "a phase gives."
        )
    return (
        "Experts might win because they specialise, and might lose because a part of the positions "
        f"counts more for each of them. To tell these apart there is a placebo: {spelled} more "
        f"networks that learn in the same way, but for parts that are made {means}. Placebo "
        "against one network is what such a division costs; phase experts against the placebo is "
        "what knowing a phase gives."
    )


def loss_texts(results: Results) -> dict[str, LossTexts]:
    """What each comparison of test losses is about, by its name."""
    count = len(results.dataset.phases)
    experts = f"{numbers.spelled(count)} experts" if count > 1 else "one expert"
    if Strategy.parse(results.config.strategy).phase_input is not None:
        return {
            "specialisation": (
                "What the phase tells.",
                "the test loss of the network that knows the phase against the placebo's",
                ("Knowing the phase made a better network", "Knowing it made a worse network"),
            ),
            "thinning": (
                "What being told anything costs.",
                "the placebo's loss, which is told what means nothing, against one network's",
                ("Being told phases helped by itself", "Being told phases cost accuracy"),
            ),
            "both": (
                "Both together.",
                "the loss of the network that knows the phase against one network's",
                ("It predicts better", "It predicts worse"),
            ),
        }
    return {
        "specialisation": (
            "What specialisation gives.",
            "the phase experts' test loss against the placebo experts'",
            ("Knowing a phase made better experts", "Knowing a phase made worse experts"),
        ),
        "thinning": (
            "What dividing the data costs.",
            f"the loss of {experts} of positions that are divided at random against one network's",
            ("Dividing the data helped by itself", "Dividing the data cost accuracy"),
        ),
        "both": (
            "Both together.",
            "the phase experts' loss against one network's",
            ("The mixture predicts better", "The mixture predicts worse"),
        ),
    }
