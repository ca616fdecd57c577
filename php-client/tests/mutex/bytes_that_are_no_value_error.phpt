--TEST--
Bytes that somebody scribbled into the segment are a SharedException or another value, nothing worse; the name can be replaced
--SKIPIF--
<?php
if (!is_executable((string) getenv('OXPOOL_BIN'))) {
    die('skip OXPOOL_BIN is not set to an oxpoold');
}
?>
--FILE--
<?php
require __DIR__ . '/../support.inc';
use OxPHP\Shared\{Mutex, Registry};

$daemon = new Daemon();
$worker = new Worker('
    use OxPHP\Shared\{Mutex, Registry};
    $original = ["list" => [1, 2, [3.5, null]], "text" => "some text", 7 => true, "mutex" => new Mutex(0, "inner")];
    $mutex = new Mutex($original, "scribbled");
    [$path] = glob("$directory/segments/*");
    $file = fopen($path, "r+");
    $at = strpos(file_get_contents($path), "\x05\x04list");
    $bytes = 60; // some more than the value has
    $whole = substr(file_get_contents($path), $at - 2, $bytes + 8);
    $patch = function (int $offset, string $with) use ($file, $at): void {
        fseek($file, $at + $offset);
        fwrite($file, $with);
        fflush($file);
    };
    unset($mutex);
    $read = function (): string {
        // A new object knows nothing of the value.
        return thrown(fn () => (new Mutex(null, "scribbled"))->withLock(function ($value): void {}));
    };
    $patch(0, "\x7f");
    say($read());
    say($read());
    mt_srand(20);
    $ends = [];
    for ($i = 0; $i < 5000; $i++) {
        $patch(-2, $whole);
        $patch(mt_rand(-2, $bytes), random_bytes_of(mt_rand(1, 6)));
        $said = strtok($read(), ":");
        $ends[$said] = ($ends[$said] ?? 0) + 1;
    }
    ksort($ends);
    say(implode(", ", array_keys($ends)));
    Registry::remove("scribbled");
    say((new Mutex("fine", "scribbled"))->withLock(fn ($value) => $value));

    function random_bytes_of(int $count): string
    {
        $bytes = "";
        for ($i = 0; $i < $count; $i++) {
            $bytes .= chr(mt_rand(0, 2) ? mt_rand(0, 12) : mt_rand(0, 255));
        }
        return $bytes;
    }
', ['directory' => $daemon->directory], $daemon->options());
echo $worker->rest();
echo $worker->end(), "\n";
?>
--EXPECT--
OxPHP\Shared\SharedException: mutex 'scribbled': its value can not be read: it was written by something else than this extension, or damaged. Remove the name, or reset it (oxpoolctl mutex reset)
OxPHP\Shared\SharedException: mutex 'scribbled': its value can not be read: it was written by something else than this extension, or damaged. Remove the name, or reset it (oxpoolctl mutex reset)
OxPHP\Shared\SharedException, nothing
fine
0
