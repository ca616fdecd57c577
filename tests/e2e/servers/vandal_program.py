#!/usr/bin/python3
"""A client that means harm: scribbles on its own segment and sends nonsense, until it is ended.

    vandal_program.py RUNTIME_DIR HELLO_HEX

Prints how many words it has changed so far, one number a line."""

import array
import os
import random
import socket
import sys

FD_BYTES = array.array("i").itemsize


def connect(path):
    client = socket.socket(socket.AF_UNIX)
    client.settimeout(30)
    client.connect(path)
    return client


def attach(path, hello):
    """(session, descriptors): the session stays open; the first descriptor is the segment's."""
    session = connect(path)
    session.sendall(hello)
    _, ancillary, _, _ = session.recvmsg(4096, socket.CMSG_SPACE(8 * FD_BYTES))
    descriptors = array.array("i")
    for _, _, data in ancillary:
        descriptors.frombytes(data[: len(data) - len(data) % FD_BYTES])
    return session, list(descriptors)


def send_nonsense(path, hello):
    client = connect(path)
    nonsense = random.choice([b"", hello[: random.randrange(len(hello))], random.randbytes(1 << random.randrange(18))])
    try:
        client.sendall(nonsense)
    except OSError:
        pass  # the daemon has heard enough
    return client


def scribble(segment, size, words):
    """Through the descriptor: the file may be cut by another one at any time."""
    for _ in range(words):
        os.pwrite(segment, random.choice([bytes(8), b"\xff" * 8, random.randbytes(8)]), random.randrange(size // 8) * 8)


def main():
    path, hello = os.path.join(sys.argv[1], "client.sock"), bytes.fromhex(sys.argv[2])
    strangers = []
    scribbled = 0
    while True:
        session, descriptors = attach(path, hello)
        sizes = [os.fstat(descriptor).st_size for descriptor in descriptors]
        if sizes and max(sizes) > 0:
            whole = descriptors[sizes.index(max(sizes))]
            scribble(whole, max(sizes), 2000)
            scribbled += 2000
            if random.random() < 0.1:
                os.truncate(whole, random.randrange(max(sizes)))
        for _ in range(10):
            strangers.append(send_nonsense(path, hello))
        print(scribbled, flush=True)
        for descriptor in descriptors:
            os.close(descriptor)
        session.close()
        del strangers[:-40]


if __name__ == "__main__":
    main()
