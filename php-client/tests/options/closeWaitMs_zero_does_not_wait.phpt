--TEST--
closeWaitMs: how long a closed resource counts while the other end has not hung up; 0 = not at all
--FILE--
<?php
require __DIR__ . '/../support.inc';
use OxPHP\Shared\Pool;


$address = 'unix://' . ($path = sys_get_temp_dir() . '/oxpool-' . getmypid() . '.sock');
$server = stream_socket_server($address); // it accepts nobody, so it never hangs up
$make = fn (int $ms) => new Pool(maxSize: 1, name: fresh_name("$ms"), closeWaitMs: $ms, factory: function () use ($address) {
    $resource = new stdClass();
    $resource->stream = stream_socket_client($address);
    return $resource;
});
foreach ([0, 400] as $ms) {
    $pool = $make($ms);
    $handle = $pool->acquire();
    $begin = hrtime(true);
    $handle->discard();
    $took = (hrtime(true) - $begin) / 1e6;
    echo $ms, ': ', $took >= 390 ? 'waited' : 'at once', "\n";
}
unlink($path);
?>
--EXPECT--
0: at once
400: waited
