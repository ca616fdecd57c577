"""PHP under valgrind, and those of its findings that are the extension's doing."""

import glob
import os
import shutil
import tempfile
import xml.etree.ElementTree as ElementTree

# PHP's own allocator, which calls malloc for each block under USE_ZEND_ALLOC=0.
REQUEST_MEMORY = ("__zend_malloc", "__zend_calloc", "__zend_realloc")


class Valgrind:
    """A command to put before PHP's, and what was found once the programs have ended."""

    def __init__(self):
        self.directory = tempfile.mkdtemp(prefix="oxpool-valgrind-", dir="/tmp")
        os.chmod(self.directory, 0o777)  # PHP may run as another user
        self.command = [
            "valgrind", "--quiet", "--vgdb=no", "--leak-check=full", "--show-leak-kinds=definite", "--num-callers=60",
            "--xml=yes", f"--xml-file={self.directory}/%p.xml",
        ]  # fmt: skip

    def programs(self):
        """How many ran."""
        return len(glob.glob(f"{self.directory}/*.xml"))

    def findings(self, piecewise):
        """Every invalid access, and every block that was lost with the extension on its stack, as texts.

        piecewise: PHP frees its request memory block by block. It does not after a jump over PHP code, nor what is in
        cycles at the end, and gives all of it back as a whole: what looks lost then under USE_ZEND_ALLOC=0 is not, and
        only memory that is no request's counts."""
        found = []
        for path in glob.glob(f"{self.directory}/*.xml"):
            for error in ElementTree.parse(path).getroot().iter("error"):
                frames = list(error.find("stack").iter("frame"))
                functions = [frame.findtext("fn") or "?" for frame in frames]
                kind = error.findtext("kind")
                if kind.startswith("Leak_"):
                    ours = any(os.path.basename(frame.findtext("obj") or "") == "oxpool.so" for frame in frames)
                    request_memory = any(function in REQUEST_MEMORY for function in functions[:4])
                    if not ours or (request_memory and not piecewise):
                        continue
                found.append(f"{kind}: {' < '.join(functions)}")
        return found

    def end(self):
        shutil.rmtree(self.directory, ignore_errors=True)
