"""Run by test_contrib_names.py: what names of tf.contrib that are back give, in TF1's spelling."""

import json
import sys

sys.path.insert(0, sys.argv[1])
from advice_cases import TABLES
from record_advice import outcome

import queueio.v1 as tf

ROWS = json.loads(sys.argv[2])
print(
    json.dumps({row: [outcome(tf, case, "old") for case in TABLES["CONTRIB"][row]] for row in ROWS})
)
