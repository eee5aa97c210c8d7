"""Threads and queues: the first cause is kept, nobody waits for the dead, and memory in flight is bounded."""

from __future__ import annotations

import threading
from itertools import count

import pytest

from workspace.pipeline.budget import ByteBudget
from workspace.pipeline.channel import Channel, Crew, Step


def run_stages(crew: Crew, source, *stages):
    """Join generators by threads, as the runner does, and return all that comes out."""
    outbox: Channel[int] = Channel(capacity=1)
    steps = [Step(f"stage-{number}", Channel(capacity=1), stage) for number, stage in enumerate(stages)]
    crew.start([Step("source", Channel(), lambda _: source), *steps], outbox)
    batches = [batch for batch in outbox if batch]
    crew.wind_down(outbox)
    return batches


def double(batches):
    for batch in batches:
        yield [2 * item for item in batch]


def fail_at(limit, error):
    def stage(batches):
        for batch in batches:
            if any(item >= limit for item in batch):
                raise error
            yield batch

    return stage


def test_batches_pass_all_stages_in_order():
    crew = Crew(on_failure=lambda: None)
    assert run_stages(crew, ([n] for n in range(50)), double, double) == [[4 * n] for n in range(50)]
    assert crew.failure is None


@pytest.mark.parametrize("position", [0, 1, 2])
def test_a_stage_that_dies_ends_the_run_and_its_error_is_the_one_told(position):
    """Wherever it stands, and however much its producer still has to give."""
    crew = Crew(on_failure=lambda: None)
    error = RuntimeError("first cause")
    stages = [double, double, double]
    stages[position] = fail_at(100, error)

    def source():
        for number in count():
            if crew.cancelled.is_set():
                return
            yield [number]

    run_stages(crew, source(), *stages)
    assert crew.failure is error
    assert not [thread for thread in threading.enumerate() if thread.name.startswith("workspace-")]


def test_a_stage_that_stops_early_does_not_block_its_producer():
    def first_only(batches):
        yield next(iter(batches))

    crew = Crew(on_failure=lambda: None)
    assert run_stages(crew, ([n] for n in range(1000)), first_only) == [[0]]


@pytest.mark.parametrize("started", [0, 1, 2, 3])
def test_an_interrupt_while_the_threads_start_leaves_none_behind(monkeypatch, started):
    """Whichever threads run by then: nobody waits for one that never was."""
    crew = Crew(on_failure=lambda: None)
    real, count_down = threading.Thread.start, iter(range(started))

    def start(thread):
        if next(count_down, None) is None:
            raise KeyboardInterrupt
        real(thread)

    def source():
        while not crew.cancelled.is_set():
            yield [1]

    with monkeypatch.context() as patch:
        patch.setattr(threading.Thread, "start", start)
        outbox: Channel[int] = Channel(capacity=1)
        steps = [Step(str(number), Channel(), double) for number in range(3)]
        with pytest.raises(KeyboardInterrupt):
            crew.start([Step("source", Channel(), lambda _: source()), *steps], outbox)
    crew.fail(KeyboardInterrupt())
    crew.wind_down(outbox)
    assert not [thread for thread in threading.enumerate() if thread.name.startswith("workspace-")]


def test_only_the_first_cause_is_kept():
    woken = []
    crew = Crew(on_failure=lambda: woken.append(True))
    crew.fail(ValueError("first"))
    crew.fail(KeyError("second"))
    assert isinstance(crew.failure, ValueError)
    assert crew.cancelled.is_set()
    assert woken


def test_a_nudge_wakes_the_consumer_and_never_waits():
    channel: Channel[int] = Channel(capacity=1)
    channel.nudge()
    channel.nudge()
    assert next(iter(channel)) == []


def test_documents_are_admitted_while_they_fit():
    budget = ByteBudget(limit=100)
    budget.admit("a", 60)
    assert budget.fits(40)
    assert not budget.fits(41)
    budget.resize("a", 10)
    assert budget.fits(90)
    budget.settle("a")
    budget.settle("a")
    assert budget.fits(100)


def test_a_document_above_the_limit_is_admitted_alone():
    budget = ByteBudget(limit=100)
    assert budget.fits(5000)
    budget.admit("giant", 5000)
    assert not budget.fits(1)


def test_a_waiting_document_passes_when_room_is_made_or_the_run_ends():
    for make_room in (lambda budget: budget.settle("a"), lambda budget: budget.open()):
        budget = ByteBudget(limit=100)
        budget.admit("a", 100)
        waiting = threading.Thread(target=budget.admit, args=("b", 1))
        waiting.start()
        make_room(budget)
        waiting.join(timeout=30)
        assert not waiting.is_alive()
