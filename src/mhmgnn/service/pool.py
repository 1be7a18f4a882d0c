"""Work beside the event loop: a few threads, and small questions of one kind answered in one turn."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from typing import Any, TypeVar

import torch

from mhmgnn.errors import MHMError

Answer = TypeVar("Answer")
TURN = 32  # questions of a turn at most


def one_thread() -> None:
    """Have torch work in this thread alone: requests are small, and more threads change last bits."""
    torch.set_num_threads(1)


class Pool:
    """Threads that work on requests. Work that is cancelled before it begins is dropped."""

    def __init__(self, threads: int) -> None:
        self._threads = ThreadPoolExecutor(threads, "work", initializer=one_thread)

    async def run(self, work: Callable[[], Answer]) -> Answer:
        """What `work` gives, in a thread."""
        return await asyncio.wrap_future(self._threads.submit(work))

    def stop(self) -> None:
        """Drop what waits; what runs is not waited for."""
        self._threads.shutdown(wait=False, cancel_futures=True)


class Turns:
    """Answers together the questions that came in while those before were answered.

    A turn is one hop to a thread. Each question still goes through the network by itself: rows of a matrix
    product differ in their last bits with the number of rows, and answers are those of the library.
    """

    def __init__(self, pool: Pool) -> None:
        self._pool = pool
        self._waiting: list[tuple[Callable[[], Any], asyncio.Future[Any]]] = []
        self._task: asyncio.Task[None] | None = None
        self.taken = 0  # turns so far

    async def ask(self, question: Callable[[], Answer]) -> Answer:
        """The answer to a question, which is dropped if the one who asked has gone before its turn."""
        future: asyncio.Future[Answer] = asyncio.get_running_loop().create_future()
        self._waiting.append((question, future))
        if self._task is None or self._task.done():
            self._task = asyncio.create_task(self._take_turns())
        return await future

    async def _take_turns(self) -> None:
        while self._waiting:
            some, self._waiting = self._waiting[:TURN], self._waiting[TURN:]
            asked = [(question, future) for question, future in some if not future.cancelled()]
            if not asked:
                continue
            self.taken += 1
            questions = [question for question, _ in asked]
            turn = asyncio.create_task(self._pool.run(partial(answers, questions)))
            await asyncio.wait({turn})
            failure = turn.exception()
            for place, (_, future) in enumerate(asked):
                if future.cancelled():
                    continue
                if failure is not None:
                    future.set_exception(failure)
                    continue
                answer = turn.result()[place]
                if isinstance(answer, MHMError):
                    future.set_exception(answer)
                else:
                    future.set_result(answer)


def answers(questions: Sequence[Callable[[], Any]]) -> list[Any]:
    """The answer to each question, or the error that says what was wrong with it."""
    found: list[Any] = []
    for question in questions:
        try:
            found.append(question())
        except MHMError as error:
            found.append(error)
    return found
