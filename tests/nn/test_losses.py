import numpy as np
import pytest
import torch

from mhmgnn.nn.losses import graph_energy, nce_loss


def test_loss_is_log_2_when_data_and_noise_look_alike():
    loss = nce_loss(energy=torch.zeros(4), is_data=torch.tensor([1.0, 1.0, 0.0, 0.0])) / 4
    torch.testing.assert_close(loss, torch.tensor(2.0).log())


def test_loss_is_that_of_the_paper():
    energy, is_data = torch.tensor([0.3, -1.0, 2.0]), torch.tensor([1.0, 0.0, 0.0])
    y = torch.sigmoid(-energy - np.log(2) - 0.5)
    paper = -torch.log(y[0]) - torch.log(1 - y[1]) - torch.log(1 - y[2])
    torch.testing.assert_close(nce_loss(energy, is_data, constant=0.5, noises=2), paper)


def test_loss_falls_as_data_falls_below_noise_in_energy():
    is_data = torch.tensor([1.0, 0.0])
    apart, alike = (nce_loss(torch.tensor(energy), is_data) for energy in ([-2.0, 2.0], [0.0, 0.0]))
    assert apart < alike < nce_loss(torch.tensor([2.0, -2.0]), is_data)


def test_the_energy_of_a_graph_is_the_weighted_sum_over_its_own_ksets():
    energy, weights = torch.tensor([1.0, 2.0, 3.0]), torch.tensor([1.0, 0.5, 2.0])
    assert graph_energy(energy, weights, torch.tensor([1, 0, 1]), 3).tolist() == [1.0, 7.0, 0.0]


@pytest.mark.parametrize("is_data", [0.0, 1.0])
def test_an_unbiased_energy_gives_an_upper_bound_of_the_loss(is_data):
    noisy = 0.7 + torch.randn(20_000, generator=torch.Generator().manual_seed(0))
    labels = torch.full_like(noisy, is_data)
    estimates = torch.stack([nce_loss(one, label) for one, label in zip(noisy, labels, strict=True)])
    exact = nce_loss(torch.tensor([0.7]), torch.tensor([is_data]))
    assert estimates.mean() - exact > 5 * estimates.std() / len(noisy) ** 0.5
