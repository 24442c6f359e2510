"""The manual, made from the program itself, so that it cannot say anything else.

command  `triplewire man`: write a manual page for each command
entries  what the program knows of each of its commands: purpose, options, examples
roff     an entry as a page for man(1)
"""
