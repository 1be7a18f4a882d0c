"""Threads for work outside the event loop, and micro-batches of small requests."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from typing import Any, TypeVar

import torch

from mhmgnn.errors import MHMError

Answer = TypeVar("Answer")
TURN = 32  # most requests in a micro-batch


def one_thread() -> None:
    """Limit torch to one thread in this thread: requests are small, and more threads change last bits."""
    torch.set_num_threads(1)


class Pool:
    """A thread pool for requests. Work that is cancelled before it begins never runs."""

    def __init__(self, threads: int) -> None:
        self._threads = ThreadPoolExecutor(threads, "work", initializer=one_thread)

    async def run(self, work: Callable[[], Answer]) -> Answer:
        """The result of `work()`, run in a thread of the pool."""
        return await asyncio.wrap_future(self._threads.submit(work))

    def stop(self) -> None:
        """Cancel waiting work, without waiting for what runs."""
        self._threads.shutdown(wait=False, cancel_futures=True)


class Turns:
    """Micro-batches: requests that arrive while a batch runs form the next batch.

    A batch saves hops between threads. Each request still goes through the network by itself: the last bits
    of a matrix product depend on its number of rows, and answers must equal the library's.
    """

    def __init__(self, pool: Pool, count: Callable[[], object]) -> None:
        self._pool, self._count = pool, count  # called for each turn
        self._waiting: list[tuple[Callable[[], Any], asyncio.Future[Any]]] = []
        self._task: asyncio.Task[None] | None = None

    async def ask(self, question: Callable[[], Answer]) -> Answer:
        """The answer to a question; it is dropped if the request is cancelled before its batch starts."""
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
            self._count()
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
    """The answer to each question, or the error that it raised."""
    found: list[Any] = []
    for question in questions:
        try:
            found.append(question())
        except MHMError as error:
            found.append(error)
    return found
