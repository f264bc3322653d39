"""A fragment as the body of a function.

part.py ─▶ body.py, op by op ⇄ branches.py, conds and loops, whose branches are bodies
           └ scope.py, what stands for a tensor there
state.py   what stands for a variable, a placeholder, a table
"""
