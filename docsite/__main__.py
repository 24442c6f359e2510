"""`python -m docsite`: build the site."""

from docsite.build import main

# Processes that a node starts import this again.
if __name__ == "__main__":
    main()
