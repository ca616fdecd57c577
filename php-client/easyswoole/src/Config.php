<?php

declare(strict_types=1);

namespace EasySwoole\Pool;

use EasySwoole\Pool\Exception\Exception;
use EasySwoole\Pool\Internal\Bean;
use EasySwoole\Pool\Internal\Due;
use EasySwoole\Pool\Internal\OptionCheck;

/**
 * What a pool is to be like. Filled by an array, whose keys are the properties' names and `name`, or by setters, which
 * chain. Subclasses add properties of their own, which the array fills too; unknown keys are ignored. A setter that is
 * called while pools use the Config acts at their next call.
 *
 * Without a declared property and methods for `name`, since subclasses have those with types of their own:
 *
 * @method string|null getName() the name of the budget on this host
 * @method Config setName(?string $name) one to 255 bytes; null = none. Acts before the pool's first use only.
 */
class Config extends Bean
{
    /** Milliseconds between two checks of idle objects; ≤ 0 = none. */
    protected int $intervalCheckTime = 5000;
    /** Objects over the whole host, idle, borrowed and being made. */
    protected int $maxObjectNum = 16;
    /** Idle objects that one check looks at, at most. */
    protected int $intervalCheckBatchSize = 8;
    /** keepMin() and the checks make objects until the host has so many. */
    protected int $minObjectNum = 8;
    /** Seconds that getObj() may take; 0 = it does not wait, below 0 = it waits without limit. */
    protected float $getObjectTimeout = 3.0;
    /** Seconds. An average wait below this one is low load, at which objects are closed; 0 = never. */
    protected float $waitLoadAverageTime = 0.001;
    /** For the application; the pool does not look at it. */
    protected mixed $extraConf = null;
    /** How many may wait over the whole host; one more gets PoolEmpty at once. null = any number. */
    protected ?int $maxWaiting = null;

    private ?string $budgetName = null;
    /** @var \WeakMap<Due, true>|null of the pools that use this Config */
    private ?\WeakMap $users = null;

    /**
     * Takes all of it or, when a value is bad, nothing.
     *
     * @param array<string, mixed> $data numbers may be strings
     *
     * @throws Exception a value is out of range or of another type; the message names the option
     */
    public function restore(array $data = [])
    {
        foreach (OptionCheck::TYPES as $option => $type) {
            if (\array_key_exists($option, $data)) {
                $data[$option] = OptionCheck::converted($option, $type, $data[$option]);
            }
        }
        OptionCheck::range($data + [
            'minObjectNum' => $this->minObjectNum,
            'maxObjectNum' => $this->maxObjectNum,
        ]);
        if (\array_key_exists('name', $data) && !\property_exists($this, 'name')) {
            $this->budgetName = OptionCheck::name($data['name']);
        }
        parent::restore($data);
        foreach ($this->users ?? [] as $due => $_) {
            $due->atNs = 0;
        }
        return $this;
    }

    protected function initialize(): void
    {
        $this->check();
    }

    /**
     * Checks the values as they are: a subclass may have set them without a setter.
     *
     * @internal
     *
     * @throws Exception
     */
    final public function check(): void
    {
        OptionCheck::range([
            'minObjectNum' => $this->minObjectNum,
            'maxObjectNum' => $this->maxObjectNum,
            'intervalCheckBatchSize' => $this->intervalCheckBatchSize,
            'maxWaiting' => $this->maxWaiting,
        ]);
    }

    public function jsonSerialize(): array
    {
        $data = parent::jsonSerialize();
        if (!\property_exists($this, 'name')) {
            $data['name'] = $this->budgetName;
        }
        return $data;
    }

    /** getName() and setName(), see above. */
    public function __call(string $method, array $arguments)
    {
        return match (\strtolower($method)) {
            'getname' => $this->budgetName()[0],
            'setname' => $this->restore(['name' => $arguments[0] ?? null]),
            default => throw new \Error('Call to undefined method ' . static::class . "::$method()"),
        };
    }

    public function __clone()
    {
        $this->users = null;
    }

    public function getIntervalCheckTime(): int
    {
        return $this->intervalCheckTime;
    }

    /** @param int|numeric-string $intervalCheckTime */
    public function setIntervalCheckTime($intervalCheckTime): Config
    {
        return $this->restore(['intervalCheckTime' => $intervalCheckTime]);
    }

    public function getIntervalCheckBatchSize(): int
    {
        return $this->intervalCheckBatchSize;
    }

    public function setIntervalCheckBatchSize(int $intervalCheckBatchSize): Config
    {
        return $this->restore(['intervalCheckBatchSize' => $intervalCheckBatchSize]);
    }

    public function getMaxObjectNum(): int
    {
        return $this->maxObjectNum;
    }

    public function setMaxObjectNum(int $maxObjectNum): Config
    {
        return $this->restore(['maxObjectNum' => $maxObjectNum]);
    }

    public function getMinObjectNum(): int
    {
        return $this->minObjectNum;
    }

    public function setMinObjectNum(int $minObjectNum): Config
    {
        return $this->restore(['minObjectNum' => $minObjectNum]);
    }

    public function getGetObjectTimeout(): float
    {
        return $this->getObjectTimeout;
    }

    public function setGetObjectTimeout(float $getObjectTimeout): Config
    {
        return $this->restore(['getObjectTimeout' => $getObjectTimeout]);
    }

    public function getWaitLoadAverageTime(): float
    {
        return $this->waitLoadAverageTime;
    }

    public function setWaitLoadAverageTime(float $waitLoadAverageTime): Config
    {
        return $this->restore(['waitLoadAverageTime' => $waitLoadAverageTime]);
    }

    public function getMaxWaiting(): ?int
    {
        return $this->maxWaiting;
    }

    public function setMaxWaiting(?int $maxWaiting): Config
    {
        return $this->restore(['maxWaiting' => $maxWaiting]);
    }

    public function getExtraConf(): mixed
    {
        return $this->extraConf;
    }

    public function setExtraConf(mixed $extraConf): Config
    {
        $this->extraConf = $extraConf;
        return $this;
    }

    /**
     * The name of the budget, and whether it is this class's own key. A property `name` of a subclass may mean something
     * else: it names budgets of one class of pools only.
     *
     * @internal
     *
     * @return array{?string, bool}
     */
    final public function budgetName(): array
    {
        if ($this->budgetName !== null || !\property_exists($this, 'name')) {
            return [$this->budgetName, true];
        }
        $name = $this->name ?? null;
        return [\is_scalar($name) && (string) $name !== '' ? (string) $name : null, false];
    }

    /**
     * Has $due set whenever something changes here.
     *
     * @internal
     */
    final public function tell(Due $due): void
    {
        $this->users ??= new \WeakMap();
        $this->users[$due] = true;
    }
}
