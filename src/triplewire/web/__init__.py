"""The page in the browser: its built files, and with which headers they go out. No I/O but reading those files.

built_page  the files that `make web` has built, found beside this package, and the headers of each

The sources of the page are in the folder `web` of the repository. It is a client of the HTTP API and of nothing else.
"""
