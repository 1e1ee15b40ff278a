@rem cmd.exe has no exec: with it, signals to npm reach Node on other systems.
@%*
