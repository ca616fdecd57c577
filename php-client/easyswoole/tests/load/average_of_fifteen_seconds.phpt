--TEST--
The average wait is over the last 15 one-second buckets: waits, those of timeouts too, by successful borrows
--FILE--
<?php
require __DIR__ . '/../support.inc';
use EasySwoole\Pool\Internal\Load;

$at = fn (float $seconds) => (int) ($seconds * 1e9);
$load = new Load();
$say = fn (float $now) => print(vsprintf("%6.1f s: %.4f s, %d timeouts\n", [$now, ...$load->average($at($now))]));
$say(99);
$load->borrowed($at(100.0));
$load->borrowed($at(100.9));
$load->waited($at(100.9), 40_000_000);
$say(100.9);
$load->borrowed($at(105));
$load->borrowed($at(105));
$say(106);
$load->waited($at(107), 1_000_000_000);
$load->timedOut($at(107));
$say(107);
$say(114.9);
$say(115);
$say(119.9);
$say(120);
$load->waited($at(121), 5_000_000);
$load->timedOut($at(121));
$say(122);
$say(500);
// A call that began in a second that has passed.
$load->borrowed($at(501));
$load->borrowed($at(499));
$say(501);
?>
--EXPECT--
  99.0 s: 0.0000 s, 0 timeouts
 100.9 s: 0.0200 s, 0 timeouts
 106.0 s: 0.0100 s, 0 timeouts
 107.0 s: 0.2600 s, 1 timeouts
 114.9 s: 0.2600 s, 1 timeouts
 115.0 s: 0.5000 s, 1 timeouts
 119.9 s: 0.5000 s, 1 timeouts
 120.0 s: 0.0000 s, 1 timeouts
 122.0 s: 0.0000 s, 1 timeouts
 500.0 s: 0.0000 s, 0 timeouts
 501.0 s: 0.0000 s, 0 timeouts
