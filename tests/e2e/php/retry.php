<?php
// Tries to attach until it succeeds, once for every line on stdin; prints what came of each try.

use OxPHP\Shared\Pool;

do {
    try {
        new Pool(factory: fn () => new stdClass(), name: 'retry');
        echo "attached\n";
    } catch (Throwable $e) {
        echo get_class($e), "\n";
    }
} while (fgets(STDIN) !== false);
