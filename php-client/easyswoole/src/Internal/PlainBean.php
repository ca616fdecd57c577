<?php

namespace EasySwoole\Pool\Internal;

// Without strict_types: "3306" from a configuration file is to fit an int property.

/** An object whose public and protected properties are filled from an array and turned into one. */
class PlainBean implements \JsonSerializable
{
    public const FILTER_NOT_NULL = 1;
    public const FILTER_NOT_EMPTY = 2;
    public const FILTER_NULL = 3;
    public const FILTER_EMPTY = 4;

    /** @var array<class-string, list<string>> */
    private static array $propertiesOf = [];

    /** @param array<string, mixed>|null $data by property; unknown keys are ignored */
    public function __construct(?array $data = null)
    {
        if ($data) {
            $this->restore($data);
        }
        $this->initialize();
    }

    /** @return list<string> names of the properties, those of subclasses too */
    final public function allProperty(): array
    {
        return self::$propertiesOf[static::class] ??= \array_values(\array_map(
            fn (\ReflectionProperty $property) => $property->getName(),
            \array_filter(
                (new \ReflectionClass($this))->getProperties(\ReflectionProperty::IS_PUBLIC | \ReflectionProperty::IS_PROTECTED),
                fn (\ReflectionProperty $property) => !$property->isStatic(),
            ),
        ));
    }

    /** @param int|callable|null $filter a FILTER_ constant, or fn(mixed): bool, which keeps what it returns true for */
    public function toArray(int|callable|null $filter = null): array
    {
        $filter = match ($filter) {
            null => fn () => true,
            self::FILTER_NOT_NULL => fn ($value) => $value !== null,
            self::FILTER_NOT_EMPTY => fn ($value) => !empty($value),
            self::FILTER_NULL => fn ($value) => $value === null,
            self::FILTER_EMPTY => fn ($value) => empty($value),
            default => $filter,
        };
        return \array_filter($this->jsonSerialize(), $filter);
    }

    /** The property's value; null when there is none of that name. */
    final public function getProperty($name)
    {
        return \in_array($name, $this->allProperty(), true) ? ($this->{$name} ?? null) : null;
    }

    public function jsonSerialize(): array
    {
        $data = [];
        foreach ($this->allProperty() as $name) {
            $value = $this->{$name} ?? null;
            $data[$name] = $value instanceof self ? $value->jsonSerialize() : $value;
        }
        return $data;
    }

    public function __toString()
    {
        return \json_encode($this->jsonSerialize());
    }

    /** Runs at the end of the constructor; for subclasses. */
    protected function initialize(): void
    {
    }

    public function restore(array $data = [])
    {
        foreach ($this->allProperty() as $name) {
            if (\array_key_exists($name, $data)) {
                $this->{$name} = $data[$name];
            }
        }
        return $this;
    }
}
