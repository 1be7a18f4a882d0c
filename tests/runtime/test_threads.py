"""Threads of our own, and those of torch."""

import torch

from mhmgnn.runtime.threads import side_by_side, torch_alone


def test_torch_is_alone_in_a_block_and_in_threads_that_it_starts():
    before = torch.get_num_threads()
    torch.set_num_threads(3)
    try:
        with torch_alone():
            inside = [torch.get_num_threads(), *side_by_side(lambda _: torch.get_num_threads(), range(4), 4)]
        assert inside == [1] * 5
        assert torch.get_num_threads() == 3
    finally:
        torch.set_num_threads(before)


def test_results_come_in_the_order_of_tasks_however_many_threads_there_are():
    for threads in (1, 3):
        assert list(side_by_side(lambda number: number**2, range(20), threads)) == [n**2 for n in range(20)]
