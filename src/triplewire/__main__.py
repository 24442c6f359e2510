"""`python -m triplewire` is `triplewire`."""

from triplewire.cli import main

if __name__ == "__main__":
    main()
