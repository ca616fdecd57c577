--TEST--
Classes written for the package, with or without types, compile on this library
--FILE--
<?php
require __DIR__ . '/../support.inc';
use EasySwoole\Pool\AbstractPool;
use EasySwoole\Pool\Config;
use EasySwoole\Pool\ObjectInterface;

class Untyped implements ObjectInterface
{
    function gc() {}
    function objectRestore() {}
    function beforeUse(): bool { return true; }
    function intervalCheck(): bool { return true; }
}
class Typed implements ObjectInterface
{
    public function gc(): void {}
    public function objectRestore(): void {}
    public function beforeUse(): bool { return true; }
    public function intervalCheck(): bool { return true; }
}
class OldPool extends AbstractPool
{
    private $conf = 'its own';
    private $load = 'its own';

    function __construct(Config $conf, $more = [])
    {
        parent::__construct($conf);
    }
    protected function createObject() { return new Untyped(); }
    public function getObj(float $timeout = null, int $tryTimes = 3) { return parent::getObj($timeout, $tryTimes); }
    public function recycleObj($obj): bool { return parent::recycleObj($obj); }
    public function unsetObj($obj): bool { return parent::unsetObj($obj); }
    protected function intervalCheck() { parent::intervalCheck(); }
    public function keepMin(?int $num = null): int { return parent::keepMin($num); }
    public function status(): array { return parent::status(); }
    function destroy() { parent::destroy(); }
    function reset(): AbstractPool { return parent::reset(); }
    public function invoke(callable $call, float $timeout = null) { return parent::invoke($call, $timeout); }
    public function defer(float $timeout = null) { return parent::defer($timeout); }
    private function open() { return 'its own'; }
}
class NewPool extends AbstractPool
{
    public function createObject(): ObjectInterface { return new Typed(); }
    public function getObj(?float $timeout = null, int $tryTimes = 3): ?ObjectInterface { return parent::getObj($timeout, $tryTimes); }
    protected function intervalCheck(bool $throwError = false): void { parent::intervalCheck(); }
    function destroy(): void { parent::destroy(); }
    public function invoke(callable $call, float|null $timeout = null) { return parent::invoke($call, $timeout); }
    public function defer(float|null $timeout = null): ObjectInterface { return parent::defer($timeout); }
}
foreach ([OldPool::class, NewPool::class] as $class) {
    $pool = new $class(new Config(['name' => fresh_name('fits'), 'minObjectNum' => 1]));
    echo $pool->keepMin(), ' ', $pool->invoke(fn ($it) => get_class($it)), ' ', get_class($pool->defer()), ' ', short_status($pool), "\n";
    $pool->destroy();
}
?>
--INI--
error_reporting=8191
--EXPECT--
1 Untyped Untyped created 1, in use 1, idle 0
1 Typed Typed created 1, in use 1, idle 0
