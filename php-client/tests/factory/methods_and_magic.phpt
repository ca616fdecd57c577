--TEST--
Factory and destroy can be any callables: methods, static methods, __call, first-class callables, invokable objects
--FILE--
<?php
require __DIR__ . '/../support.inc';

final class Maker
{
    public function make() { return (object) ['by' => __FUNCTION__]; }
    public static function makeStatically() { return (object) ['by' => __FUNCTION__]; }
    public function __call($name, $arguments) { return $name === 'unmake' ? print("unmake {$arguments[0]->by}\n") : (object) ['by' => "__call $name"]; }
    public static function __callStatic($name, $arguments) { return (object) ['by' => "__callStatic $name"]; }
    public function __invoke() { return (object) ['by' => __FUNCTION__]; }
    private function secret() { return (object) ['by' => __FUNCTION__]; }
    public function pool() { return new OxPHP\Shared\Pool([$this, 'secret'], [$this, 'unmake'], 1); }
}
$maker = new Maker();
foreach ([[$maker, 'make'], 'Maker::makeStatically', [$maker, 'anything'], ['Maker', 'else'], $maker, $maker->make(...), $maker->magic(...)] as $factory) {
    $pool = new OxPHP\Shared\Pool($factory, [$maker, 'unmake'], 1);
    for ($i = 0; $i < 2; $i++) {
        $pool->acquire()->discard();
    }
}
$maker->pool()->acquire()->discard();
?>
--EXPECT--
unmake make
unmake make
unmake makeStatically
unmake makeStatically
unmake __call anything
unmake __call anything
unmake __callStatic else
unmake __callStatic else
unmake __invoke
unmake __invoke
unmake make
unmake make
unmake __call magic
unmake __call magic
unmake secret
