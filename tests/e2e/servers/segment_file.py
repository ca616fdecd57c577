"""A segment as shm/LAYOUT.md draws it, to bring about what no ordinary worker does."""

import mmap
import os
import re
import struct

from .artifacts import REPOSITORY

with open(os.path.join(REPOSITORY, "shm", "layout.h"), encoding="utf-8") as _layout:
    _OFFSETS = {
        (record, field): int(offset)
        for record, field, offset in re.findall(r"OXPOOL_AT\((\w+), (\w+), (\d+)\)", _layout.read())
    }
HEADER_TABLES, HEADER_TABLE_LOCK = _OFFSETS["SegmentHeader", "tables"], _OFFSETS["SegmentHeader", "table_lock"]
HEADER_VALUE_LOCK = _OFFSETS["SegmentHeader", "value_lock"]
LANE_TABLE, POOL_TABLE = 1, 3
LANE_INCARNATION, POOL_LOCK = _OFFSETS["LaneRecord", "incarnation"], _OFFSETS["PoolRecord", "lock"]
LANE_BITS = 16


class SegmentFile:
    def __init__(self, path):
        with open(path, "r+b") as file:
            self._map = mmap.mmap(file.fileno(), os.fstat(file.fileno()).st_size)

    def _record(self, table, index):
        offset, count, size = struct.unpack_from("<QII", self._map, HEADER_TABLES + 16 * table)
        assert index < count
        return offset + index * size

    def _put(self, offset, word):
        struct.pack_into("<Q", self._map, offset, word)

    def owner(self, lane):
        """The id of who has the lane now."""
        (incarnation,) = struct.unpack_from("<Q", self._map, self._record(LANE_TABLE, lane) + LANE_INCARNATION)
        assert incarnation, f"nobody has lane {lane}"
        return incarnation << LANE_BITS | lane

    def hold_pool_lock(self, pool, owner):
        """As if the owner were inside the lock of that pool record; owner 0 lets go."""
        self._put(self._record(POOL_TABLE, pool) + POOL_LOCK, owner << 1)

    def hold_table_lock(self, owner):
        self._put(HEADER_TABLE_LOCK, owner << 1)

    def hold_value_lock(self, owner):
        self._put(HEADER_VALUE_LOCK, owner << 1)

    def end(self):
        self._map.close()
