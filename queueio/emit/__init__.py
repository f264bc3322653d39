"""From a plan to Python: the tf.data module that a person would have written.

    module ─▶ writer ─▶ steps/ ─▶ fragment/ ─▶ ops/, calls/ ─▶ facts/ ─▶ spelling/

    module.py   the verb, and the finished module with its sidecar of large constants
    writer.py   what a stage may ask for when it writes itself
    steps/      a stage: where a stream begins, a map with its function, what that may differ in
    fragment/   a fragment, op by op, as the body of a function; what the module holds for it
    ops/        one op type, one public expression
    calls/      one public function that leaves many ops: tf.image.random_contrast
    facts/      what the old graph says: names, values, effects, draws, and what belongs together
    spelling/   Python: expressions, constants, functions

Each folder imports only those to its right. This package knows the contract of a stage
(`Node.to_source`) and no stage by name.
"""
