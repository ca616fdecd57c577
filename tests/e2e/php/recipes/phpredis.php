<?php

// The key `number` is 1; nobody pushes to the list `late`.
return new class {
    public ?string $validate = 'validate_phpredis';

    public function connect(array $to): Redis
    {
        $redis = new Redis();
        $redis->connect($to['socket']);
        return $redis;
    }

    public function id(Redis $redis): int
    {
        return $redis->rawCommand('CLIENT', 'ID');
    }

    public function spoil(Redis $redis, string $how): mixed
    {
        switch ($how) {
            case 'nothing':
                return null;
            case 'does not connect anew':
                $redis->setOption(Redis::OPT_MAX_RETRIES, 0);
                return null;
            case 'transaction':
                $redis->multi();
                $redis->set('number', '666');
                return null;
            case 'pipeline':
                $redis->pipeline();
                $redis->set('number', '666');
                return null;
            case 'watch':
                $redis->watch('watched'); // which somebody else changes before the next EXEC
                return null;
            case 'database':
                $redis->select(3);
                return null;
            case 'unread reply':
                $redis->setOption(Redis::OPT_READ_TIMEOUT, 0.05);
                failure(fn () => $redis->blPop(['late'], 60)); // gives up before the answer
                $redis->setOption(Redis::OPT_READ_TIMEOUT, 30);
                return null;
        }
        throw new LogicException($how);
    }

    /** @return list<?string> what should not be there */
    public function look(Redis $redis): array
    {
        return [
            $redis->getMode() !== Redis::ATOMIC ? 'a transaction or a pipeline' : null,
            failure(function () use ($redis): void {
                $answer = $redis->multi()->incrBy('number', 1)->exec();
                if ($answer !== [2]) {
                    throw new RuntimeException('EXEC answered ' . json_encode($answer));
                }
            }),
            failure(function () use ($redis): void {
                if ($redis->get('number') !== '2') {
                    throw new RuntimeException('the number is ' . json_encode($redis->get('number')));
                }
            }),
        ];
    }
};
