<?php

declare(strict_types=1);

namespace EasySwoole\Pool\Internal;

use EasySwoole\Pool\Exception\Exception;

/** Whether values fit the options of a Config. Every message names the option. */
final class OptionCheck
{
    public const TYPES = [
        'intervalCheckTime' => 'int',
        'maxObjectNum' => 'int',
        'intervalCheckBatchSize' => 'int',
        'minObjectNum' => 'int',
        'getObjectTimeout' => 'float',
        'waitLoadAverageTime' => 'float',
        'maxWaiting' => '?int',
    ];

    /**
     * $value as $type, if it is that number, also as a string.
     *
     * @throws Exception
     */
    public static function converted(string $option, string $type, mixed $value): int|float|null
    {
        if ($value === null && $type[0] === '?') {
            return null;
        }
        $number = \is_int($value) || \is_float($value) || \is_string($value) && \is_numeric($value) ? $value + 0 : null;
        if ($number !== null && !\is_nan($number)) {
            if ($type === 'float') {
                return (float) $number;
            }
            if (\is_int($number) || (float) (int) $number === $number) {
                return (int) $number;
            }
        }
        throw new Exception("$option must be " . ($type === 'float' ? 'a number' : 'an integer') . ', '
            . (\is_scalar($value) ? \var_export($value, true) : \get_debug_type($value)) . ' given');
    }

    /**
     * @param array<string, mixed> $options those that are there are checked
     *
     * @throws Exception
     */
    public static function range(array $options): void
    {
        // The words that the package has always used here.
        if (($options['intervalCheckBatchSize'] ?? 1) < 1) {
            throw new Exception('interval check batch size must be positive');
        }
        if ($options['maxObjectNum'] < 1) {
            throw new Exception("maxObjectNum must be at least 1, {$options['maxObjectNum']} given");
        }
        if ($options['minObjectNum'] < 0) {
            throw new Exception("minObjectNum must be at least 0, {$options['minObjectNum']} given");
        }
        if ($options['minObjectNum'] > $options['maxObjectNum']) {
            throw new Exception("minObjectNum ({$options['minObjectNum']}) must not be above maxObjectNum ({$options['maxObjectNum']})");
        }
        if (($options['maxWaiting'] ?? 0) < 0) {
            throw new Exception("maxWaiting must be at least 0, {$options['maxWaiting']} given");
        }
    }

    /** @throws Exception */
    public static function name(mixed $name): ?string
    {
        if ($name === null || \is_string($name) && $name !== '' && \strlen($name) <= 255) {
            return $name;
        }
        throw new Exception('name must be a string of 1 to 255 bytes, '
            . (\is_string($name) ? \strlen($name) . ' bytes' : \get_debug_type($name)) . ' given');
    }
}
