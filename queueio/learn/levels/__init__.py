"""The levels, in order of difficulty: from the first batch to tf.data."""

from queueio.learn.level import LearnLevel
from queueio.learn.levels.first import FIRST
from queueio.learn.levels.pool import POOL
from queueio.learn.levels.stop import STOP
from queueio.learn.levels.together import TOGETHER

LEVELS: tuple[LearnLevel, ...] = (*FIRST, *POOL, *STOP, *TOGETHER)
