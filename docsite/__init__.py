"""The documentation as a site: `make docs` builds it into `build/docs/site`.

pages         what is built from: the folder `docs`, and pages that are made
command_line  the page of commands, from the program itself
http_api      the page of routes, from the OpenAPI document of a node
settings      the page of settings, from `Settings`
metrics       the page of metrics, from what nodes expose
python_api    pages of public names, from signatures and docstrings
gallery       a page for each example, with its source
notebook      a notebook that was executed, as a page
tables        cells of Markdown that stay cells
checks        the built pages fetch nothing from another host
browser       what a browser makes of the diagrams
build         all of it, in order, with a word for each step

What is here runs at build time only. Zensical turns the pages into the site, strict about links.
"""
