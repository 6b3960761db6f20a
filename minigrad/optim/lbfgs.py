"""L-BFGS: steps that use how the gradient changed over the last steps as a picture of the curvature.

It calls the closure several times in a step, since it has to look where it is going (Nocedal and Wright,
Numerical Optimization, chapters 3 and 7).
"""
from __future__ import annotations

from ..autograd.grad_mode import enable_grad, no_grad
from ..ops.joining import cat
from .line_search import strong_wolfe
from .optimizer import Optimizer, check_options, number


class LBFGS(Optimizer):
    """All parameters as one vector, moved along the gradient times an estimate of the inverse second
    derivative.

    Args:
        max_iter, max_eval: how many moves and calls of the closure one step may take.
        tolerance_grad, tolerance_change: when to stop early.
        history_size: how many of the last moves the estimate is made from.
        line_search_fn: None moves by lr; "strong_wolfe" looks for a good length.
    """

    def __init__(self, params, lr=1, max_iter=20, max_eval=None, tolerance_grad=1e-7, tolerance_change=1e-9,
                 history_size=100, line_search_fn=None):
        check_options(lr)
        super().__init__(params, {
            "lr": lr, "max_iter": max_iter, "max_eval": max_iter * 5 // 4 if max_eval is None else max_eval,
            "tolerance_grad": tolerance_grad, "tolerance_change": tolerance_change,
            "history_size": history_size, "line_search_fn": line_search_fn})
        if len(self.param_groups) != 1:
            raise ValueError("LBFGS doesn't support per-parameter options (parameter groups)")
        self._params = self.param_groups[0]["params"]

    @no_grad()
    def step(self, closure):
        """Make up to max_iter moves; `closure` computes the loss and its gradients.

        Returns:
            The loss before the first move.
        """
        closure, group = enable_grad()(closure), self.param_groups[0]
        state = self.state[self._params[0]]
        state.setdefault("func_evals", 0)
        state.setdefault("n_iter", 0)
        first_loss = closure()
        state["func_evals"] += 1
        gradient = self._flat_gradient()
        if is_small(gradient, group["tolerance_grad"]):
            return first_loss
        kept = {name: state.get(name) for name in ("d", "t", "old_dirs", "old_stps", "ro", "H_diag",
                                                   "prev_flat_grad", "prev_loss")}
        self._move_on(closure, group, state, kept, float(first_loss), gradient)
        state.update(kept)
        return first_loss

    def _move_on(self, closure, group, state, kept, loss, gradient):
        """The moves of one step; `kept` is what the next step goes on from."""
        lr, tolerance_change, evaluations = number(group["lr"]), group["tolerance_change"], 1
        for left in range(group["max_iter"] - 1, -1, -1):
            state["n_iter"] += 1
            direction = kept["d"] = self._direction(state, kept, gradient, group["history_size"])
            if kept["prev_flat_grad"] is None:
                kept["prev_flat_grad"] = gradient.clone()
            else:
                kept["prev_flat_grad"].copy_(gradient)
            kept["prev_loss"] = loss
            length = kept["t"] = min(1.0, 1.0 / gradient.abs().sum()) * lr if state["n_iter"] == 1 else lr
            slope = gradient.dot(direction)
            if slope > -tolerance_change:
                return
            calls = 0
            if group["line_search_fn"] is not None:
                if group["line_search_fn"] != "strong_wolfe":
                    raise RuntimeError("only 'strong_wolfe' is supported")
                loss, gradient, length, calls = strong_wolfe(
                    self._looking_along(closure, direction), length, direction, loss, gradient, slope,
                    tolerance_change, group["max_eval"] - evaluations)
                kept["t"] = length
                self._move(length, direction)
            else:
                self._move(length, direction)
                if left:            # after the last move nobody needs to know how good it was
                    loss, gradient, calls = float(closure()), self._flat_gradient(), 1
            evaluations += calls
            state["func_evals"] += calls
            if (not left or evaluations >= group["max_eval"] or is_small(gradient, group["tolerance_grad"])
                    or is_small(direction.mul(length), tolerance_change)
                    or abs(loss - kept["prev_loss"]) < tolerance_change):
                return

    def _direction(self, state, kept, gradient, history_size):
        """Minus the gradient times the estimated inverse of the second derivatives."""
        if state["n_iter"] == 1:
            kept.update(old_dirs=[], old_stps=[], ro=[], H_diag=1)
            return gradient.neg()
        changes, moves, inverses = kept["old_dirs"], kept["old_stps"], kept["ro"]
        change, move = gradient.sub(kept["prev_flat_grad"]), kept["d"].mul(kept["t"])
        product = change.dot(move)
        if product > 1e-10:
            if len(changes) == history_size:
                for history in (changes, moves, inverses):
                    history.pop(0)
            changes.append(change)
            moves.append(move)
            inverses.append(1.0 / product)
            kept["H_diag"] = product / change.dot(change)
        shares = state.setdefault("al", [None] * history_size)
        direction = gradient.neg()
        for i in range(len(changes) - 1, -1, -1):
            shares[i] = moves[i].dot(direction) * inverses[i]
            direction.add_(changes[i], alpha=-number(shares[i]))
        direction = direction.mul(kept["H_diag"])
        for i in range(len(changes)):
            correction = shares[i] - changes[i].dot(direction) * inverses[i]
            direction.add_(moves[i], alpha=number(correction))
        return direction

    # --- the parameters as one vector -----------------------------------------------------------------------

    def _flat_gradient(self):
        return cat([p.new_zeros(p.numel()) if p.grad is None else p.grad.view(-1) for p in self._params])

    def _move(self, length, direction):
        """Add `length` times the direction to the parameters."""
        start = 0
        for param in self._params:
            end = start + param.numel()
            param.add_(direction[start:end].view_as(param), alpha=number(length))
            start = end

    def _looking_along(self, closure, direction):
        """A function of the length: loss and gradient that far along from where the parameters are."""
        origin = [param.clone() for param in self._params]

        def look(length):
            self._move(length, direction)
            loss, gradient = float(closure()), self._flat_gradient()
            for param, value in zip(self._params, origin):
                param.copy_(value)
            return loss, gradient
        return look


def is_small(vector, tolerance):
    """Whether no number in it is larger than the tolerance."""
    return vector.abs().max() <= tolerance
