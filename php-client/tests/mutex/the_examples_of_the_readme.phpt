--TEST--
The examples of the README's section on mutexes do what it says
--FILE--
<?php
require __DIR__ . '/../support.inc';

$section = preg_replace(['/^.*\n## Mutex\n/s', '/\n## .*$/s'], '', file_get_contents(__DIR__ . '/../../README.md'));
preg_match_all('/```php\n(.*?)```/s', $section, $blocks);
$bytes = 100;
$name = fresh_name('readme');
foreach ($blocks[1] as $block) {
    for ($i = 0; $i < 2; $i++) {
        if ($i === 0 || !str_contains($block, 'function may_call')) {
            eval(str_replace(["'stats'", '"bucket '], ["'$name stats'", "\"$name bucket "], $block));
        }
    }
}
echo json_encode($now), "\n";
$allowed = 0;
for ($i = 0; $i < 10; $i++) {
    $allowed += (int) may_call('api', 0.001, 3);
}
echo "$allowed of 10\n";
foreach (["$name stats", "$name bucket api"] as $key) {
    var_dump(OxPHP\Shared\Registry::remove($key));
}
?>
--EXPECT--
{"hits":2,"bytes":200}
3 of 10
bool(true)
bool(true)
