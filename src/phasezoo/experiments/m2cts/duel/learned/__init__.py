"""The experts of the phase mixture by a gate that learnt to choose among them."""
