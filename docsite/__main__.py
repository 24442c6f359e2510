"""`python -m docsite`: build the site."""

from docsite.build import main

main()
