"""Results in, advice out: which route for this PyTorch, this opset, this runtime, this operator.

``advise`` is a pure function of results and of the lists in ``Known``. It recommends what was measured to be right at
exactly that place and nothing else: a neighbouring release or opset is never asked.
"""

from matrix.advise.advice import Advice, Step, advise
from matrix.advise.question import Question
from matrix.advise.standing import Price, Standing
from matrix.advise.upgrade import Upgrade

__all__ = ["Advice", "Price", "Question", "Standing", "Step", "Upgrade", "advise"]
