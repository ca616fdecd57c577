"""A process that waits for a connection sleeps: many of them together use next to no CPU."""

import time

WAITERS = 20
SECONDS = 3
SHARE_OF_ONE_CORE = 0.01


def test_waiters_use_no_cpu(php):
    holder = php.commander(max=1)
    holder.ask("acquire")
    waiters = [php.commander(max=1) for _ in range(WAITERS)]
    for waiter in waiters:
        waiter.begin("acquire")
    holder.wait_for_stats(waiting=WAITERS)

    before = [waiter.process.cpu_ns() for waiter in waiters]
    began = time.monotonic_ns()
    time.sleep(SECONDS)  # the passing of time is what is measured
    elapsed_ns = time.monotonic_ns() - began
    used_ns = sum(waiter.process.cpu_ns() - start for waiter, start in zip(waiters, before))

    assert not any(waiter.answered() for waiter in waiters)
    share = used_ns / elapsed_ns
    assert share < SHARE_OF_ONE_CORE, f"{WAITERS} waiters used {share:.2%} of a core"
    for waiter in waiters:  # and they were waiting for something: each is served in turn
        waiter.kill()
    holder.ask("release")
