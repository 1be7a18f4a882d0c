import torch
from torch.nn.functional import normalize

from mhmgnn.nn.encoders.layers import unit_length


def test_unit_length_has_the_value_and_gradient_of_normalize():
    h = torch.randn(50, 7, dtype=torch.float64, requires_grad=True)
    weights = torch.randn(50, 7, dtype=torch.float64)
    ours, theirs = unit_length(h), normalize(h, dim=-1)
    torch.testing.assert_close(ours, theirs)
    (expected,) = torch.autograd.grad((theirs * weights).sum(), h)
    (found,) = torch.autograd.grad((ours * weights).sum(), h)
    torch.testing.assert_close(found, expected)


def test_a_row_of_zeros_stays_zero():
    assert not unit_length(torch.zeros(1, 7)).any()
