<?php
// A worker that acquires, holds and releases in a loop, and reports how it went as one line of JSON.
//
// It says "ready", begins at the next line of its input, and goes on for `seconds`. Options (JSON, first argument): name,
// max, patienceMs (null = derived), holdMs, pauseMs, factoryMs, timeoutMs (0 = wait without limit), seconds.
// Reports {"uses", "timeouts", "errors", "longestWaitMs", "meanHoldMs", "turns": [[asked, served] in ms since the boot]}.

use OxPHP\Shared\OperationTimeoutException;
use OxPHP\Shared\Pool;

$options = json_decode($argv[1], true, flags: JSON_THROW_ON_ERROR)
    + ['patienceMs' => null, 'holdMs' => 1, 'pauseMs' => 0, 'factoryMs' => 0, 'timeoutMs' => 0];
$pool = new Pool(
    factory: function () use ($options): object {
        usleep((int) ($options['factoryMs'] * 1000));
        return new stdClass();
    },
    maxSize: $options['max'],
    name: $options['name'],
    patienceMs: $options['patienceMs'],
);
fwrite(STDOUT, "ready\n");
fgets(STDIN);

$now = fn (): float => hrtime(true) / 1e6;
$end = $now() + $options['seconds'] * 1000;
$turns = [];
$errors = [];
$timeouts = 0;
$held = $longest = 0.0;
while ($now() < $end) {
    $asked = $now();
    try {
        $handle = $options['timeoutMs'] > 0 ? $pool->acquireTimeout($options['timeoutMs']) : $pool->acquire();
        $served = $now();
        usleep((int) ($options['holdMs'] * 1000));
        $handle->release();
        $held += $now() - $served;
        $turns[] = [round($asked, 3), round($served, 3)];
        $longest = max($longest, $served - $asked);
    } catch (OperationTimeoutException) {
        $timeouts++;
    } catch (Throwable $e) {
        $errors[] = get_class($e) . ': ' . $e->getMessage();
    }
    usleep((int) ($options['pauseMs'] * 1000));
}
$uses = count($turns);
echo json_encode([
    'uses' => $uses, 'timeouts' => $timeouts, 'errors' => $errors, 'longestWaitMs' => $longest,
    'meanHoldMs' => $uses > 0 ? $held / $uses : 0, 'turns' => $turns,
]), "\n";
