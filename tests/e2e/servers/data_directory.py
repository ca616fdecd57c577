"""Where a database server of the tests keeps what it has."""

import os
import pwd
import tempfile


def make_data_directory(prefix, user):
    """(directory, its folder `data`), both that user's; ours when it is None. Whoever starts the server removes them."""
    directory = tempfile.mkdtemp(prefix=prefix, dir="/tmp")
    os.chmod(directory, 0o755)
    data = os.path.join(directory, "data")
    os.mkdir(data, 0o700)
    if user:
        account = pwd.getpwnam(user)
        for path in (directory, data):
            os.chown(path, account.pw_uid, account.pw_gid)
    return directory, data
