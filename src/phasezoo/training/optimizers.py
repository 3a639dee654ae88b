"""torch's optimisers, without what torch imports for them.

torch keeps its compiler away from some methods of optimisers, and to do so imports the compiler
when one of them is first called, which takes longer than all else that a training imports. Nothing
is compiled there, so the optimisers of this file have these methods without that.
"""

from inspect import unwrap

import torch
from torch.optim.optimizer import Optimizer


class _Uncompiled:
    """The methods that all optimisers share."""

    add_param_group = unwrap(Optimizer.add_param_group)
    load_state_dict = unwrap(Optimizer.load_state_dict)
    state_dict = unwrap(Optimizer.state_dict)
    zero_grad = unwrap(Optimizer.zero_grad)


class SGD(_Uncompiled, torch.optim.SGD):
    """Stochastic gradient descent (see ``torch.optim.SGD``)."""

    step = torch.no_grad()(unwrap(torch.optim.SGD.step))


class AdamW(_Uncompiled, torch.optim.AdamW):
    """Adam with decoupled weight decay (see ``torch.optim.AdamW``)."""

    step = torch.no_grad()(unwrap(torch.optim.AdamW.step))
