--TEST--
A factory that has begun is not interrupted by the deadline, and what it made is handed out though it is late
--FILE--
<?php
require __DIR__ . '/../support.inc';
use OxPHP\Shared\Pool;


$pool = new Pool(factory: function () {
    usleep(150_000);
    return new Resource();
}, maxSize: 1, name: fresh_name('late'));
$begin = hrtime(true);
$handle = $pool->acquireTimeout(50);
echo $handle->get()->number, ', ', (hrtime(true) - $begin) / 1e6 >= 150 ? 'late' : 'early', "\n";
?>
--EXPECT--
1, late
resource 1 is gone
