--TEST--
The package's own regression test passes on the library
--SKIPIF--
<?php
if (!is_file(getenv('OXPOOL_TEST_EASYSWOOLE') . '/tests/PoolRegressionTest.php')) {
    echo 'skip OXPOOL_TEST_EASYSWOOLE names no checkout of easyswoole/pool';
}
?>
--FILE--
<?php
require __DIR__ . '/support.inc';

$swoole = getenv('OXPOOL_TEST_SWOOLE');
$options = getenv('TEST_PHP_EXTRA_ARGS') . ($swoole ? ' -d extension=' . escapeshellarg($swoole) : '');
passthru(escapeshellarg(PHP_BINARY) . " -n $options " . escapeshellarg(__DIR__ . '/regression.inc') . ' '
    . escapeshellarg(getenv('OXPOOL_TEST_EASYSWOOLE')) . ' 2>/dev/null');
?>
--EXPECT--
testConcurrentCreationRespectsCapacity passed
testFailedCreationReleasesReservedCapacity passed
testDestroyCollectsIdleObjectsExactlyOnce passed
testDestroyBeforeInitializationAndWithoutIntervalTimer passed
testLoadShrinkRemovesObjectRegistration passed
testTimeoutOnlyStatisticsDoNotEmitWarnings passed
testHealthChecksAreBoundedAndRotate passed
testSlowHealthChecksDoNotOverlap passed
testFailedHealthCheckIsCollectedAndGuardReleased passed
testHealthCheckBatchSizeMustBePositive passed
