"""Other people's libraries: what lets them use this package as it is.

Each module needs the library that it is named after, and says which extra brings it.
"""
